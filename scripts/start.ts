/**
 * Brings the development profile up under PM2: REST, WebSocket, gRPC and Service Management, each in its own
 * process. `npm stop` takes it down.
 */
import { readFileSync } from "node:fs";
import { pm2, pm2Home, processes, type Process } from "./backend/pm2.ts";
import { prepareBackend } from "./backend/prepare.ts";

const ECOSYSTEM = "pm2/ecosystem.dev.config.cjs";

prepareBackend({ withDevelopment: false });
// Each waits until it listens. `startOrRestart` makes a second `npm start` bring the newest build up.
pm2("startOrRestart", ECOSYSTEM, "--silent");
const failed = processes().filter(({ pm2_env }) => pm2_env.status !== "online");
if (failed.length > 0) {
  for (const app of failed) console.error(`${app.name} is ${app.pm2_env.status}:\n${lastLines(app)}`);
  pm2("kill", "--silent");
  console.error("Nothing is left running. Is one of the ports 3000, 3001, 3002, 50051 or 3200 taken?");
  process.exitCode = 1;
} else {
  console.log(`
  The reference backend runs under a PM2 of its own:

    REST                http://127.0.0.1:3000/health
    WebSocket + REST    http://127.0.0.1:3001/health
    gRPC + REST         127.0.0.1:50051, http://127.0.0.1:3002/health
    Service Management  http://127.0.0.1:3200

  Look at it from a terminal:

    export PM2_HOME=${pm2Home()}
    node bin/run.js process list

  npm stop takes it down.
`);
}

function lastLines({ pm2_env }: Process): string {
  try {
    return readFileSync(pm2_env.pm_err_log_path, "utf8").trimEnd().split("\n").slice(-5).join("\n");
  } catch {
    return "";
  }
}
