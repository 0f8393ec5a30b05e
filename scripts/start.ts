/** A second `npm start` restarts the profile with the newest build; `npm stop` stops it. */
import { readFileSync } from "node:fs";
import { endPm2, hasDaemon, pm2, pm2Home, processes, type Process } from "./backend/pm2.ts";
import { portProblems, ports } from "./backend/ports.ts";
import { prepareBackend } from "./backend/prepare.ts";

const ECOSYSTEM = "pm2/ecosystem.dev.config.cjs";

// If this profile is already running, its own processes use the ports.
const problems = (await hasDaemon()) ? [] : await portProblems();
if (problems.length > 0) refuse(problems);
else await start();

async function start(): Promise<void> {
  prepareBackend({ withDevelopment: false });
  // PM2 waits until each process listens.
  pm2("startOrRestart", ECOSYSTEM, "--silent");
  const failed = processes().filter(({ pm2_env }) => pm2_env.status !== "online");
  if (failed.length === 0) return console.log(runningText());
  const reasons = failed.map((app) => `${app.name} is ${app.pm2_env.status}:\n${lastLines(app)}`);
  await endPm2();
  refuse(reasons);
}

function refuse(reasons: readonly string[]): void {
  for (const reason of reasons) console.error(reason);
  console.error("Nothing is left running.");
  process.exitCode = 1;
}

function lastLines({ pm2_env }: Process): string {
  try {
    return readFileSync(pm2_env.pm_err_log_path, "utf8").trimEnd().split("\n").slice(-5).join("\n");
  } catch {
    return "";
  }
}

function runningText(): string {
  const url = (port: number): string => `http://127.0.0.1:${port}`;
  return `
  The reference backend runs under its own PM2:

    REST                ${url(ports.restapi)}/health
    WebSocket + REST    ${url(ports.websocketapi)}/health
    gRPC + REST         127.0.0.1:${ports.grpcapi}, ${url(ports.grpcapiHttp)}/health
    Service Management  ${url(ports.serviceManagement)}

  Look at it from a terminal:

    export PM2_HOME=${pm2Home()}
    node bin/run.js ls

  npm stop takes it down.
`;
}
