/** What the processes of the reference backend have in common, for the ecosystem files beside it. */
const path = require("node:path");

const ROOT = path.join(__dirname, "..");
const TEMPLATE = path.join(ROOT, "apps", "backend-template");

const entrypoints = {
  restapi: "interface/HTTP/start-rest-api.js",
  websocketapi: "interface/WebSocket/start-websocket-api.js",
  grpcapi: "interface/gRPC/start-grpc-api.js",
};

/**
 * An interface of the backend in a process of its own, under the values of an env file. What stands in `env` wins over
 * the file, so it holds only what differs from process to process.
 *
 * @param {keyof typeof entrypoints} kind also the end of the app's name
 * @param {{ prefix: string, envFile: string, env: Record<string, string>, instances?: number }} options
 */
function backend(kind, { prefix, envFile, env, instances = 1 }) {
  return {
    name: `${prefix}-${kind}`,
    script: path.join(TEMPLATE, "dist", entrypoints[kind]),
    cwd: TEMPLATE,
    // Absolute: in cluster mode a relative path is taken from the daemon's folder.
    node_args: [`--env-file=${path.join(TEMPLATE, "src/config", envFile)}`, "--enable-source-maps"],
    env,
    ...(instances > 1 ? { exec_mode: "cluster", instances } : { exec_mode: "fork" }),
    // Online once it listens; five seconds and more to finish what is in flight.
    wait_ready: true,
    listen_timeout: 15000,
    kill_timeout: 6000,
    // What may not start says why, three times, and stays stopped.
    max_restarts: 3,
    min_uptime: 2000,
  };
}

/** Service Management itself, under the same PM2. */
function serviceManagement({ prefix }) {
  return {
    name: `${prefix}-service-management`,
    script: path.join(ROOT, "bin", "run.js"),
    args: ["serve"],
    cwd: ROOT,
    exec_mode: "fork",
    kill_timeout: 6000,
    max_restarts: 3,
    min_uptime: 2000,
  };
}

module.exports = { backend, serviceManagement };
