const path = require("node:path");

const ROOT = path.join(__dirname, "..");
const TEMPLATE = path.join(ROOT, "apps", "backend-template");

const lifecycle = {
  // Online once it listens; more than five seconds to complete requests in flight.
  wait_ready: true,
  listen_timeout: 15000,
  kill_timeout: 6000,
  // A process that must not start prints its reason three times, then stays stopped.
  max_restarts: 3,
  min_uptime: 2000,
};

const entrypoints = {
  restapi: "interface/HTTP/start-rest-api.js",
  websocketapi: "interface/WebSocket/start-websocket-api.js",
  grpcapi: "interface/gRPC/start-grpc-api.js",
};

/**
 * `env` overrides the env file, so it contains only what differs from process to process.
 *
 * @param {keyof typeof entrypoints} kind also the suffix of the app's name
 * @param {{ prefix: string, envFile: string, env: Record<string, string>, instances?: number }} options
 */
function backend(kind, { prefix, envFile, env, instances = 1 }) {
  return {
    name: `${prefix}-${kind}`,
    script: path.join(TEMPLATE, "dist", entrypoints[kind]),
    cwd: TEMPLATE,
    // In cluster mode, a relative path is resolved against the daemon's folder.
    node_args: [`--env-file=${path.join(TEMPLATE, "src/config", envFile)}`, "--enable-source-maps"],
    env,
    ...(instances > 1 ? { exec_mode: "cluster", instances } : { exec_mode: "fork" }),
    ...lifecycle,
  };
}

/**
 * Service Management finds this PM2 through the PM2_HOME that PM2 passes to its apps.
 *
 * @param {{ prefix: string, env?: Record<string, string> }} options
 */
function serviceManagement({ prefix, env = {} }) {
  return {
    name: `${prefix}-service-management`,
    script: path.join(ROOT, "bin", "run.js"),
    args: ["serve"],
    cwd: ROOT,
    env,
    exec_mode: "fork",
    ...lifecycle,
  };
}

module.exports = { backend, serviceManagement };
