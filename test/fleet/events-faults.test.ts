import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { plainEnvironment, RUN } from "../support/command-line.ts";
import { natsProxy } from "../support/nats-proxy.ts";
import { hasNats } from "../support/nats-server.ts";
import { testFleet, type TestFleet } from "./support.ts";
import { firstOrAll } from "../support/runs.ts";

const COUNT = 6;

function agent(fleet: TestFleet, url: string): ChildProcess {
  const root = fleet.root("web-1");
  const more = { HOME: root, PM2_HOME: join(root, ".pm2"), SVC_SERVICE_MANAGEMENT_NATS_URL: url };
  const env = plainEnvironment({ ...fleet.variables("web-1"), ...more });
  const child = spawn(process.execPath, [RUN, "agent"], { cwd: root, env, stdio: "ignore" });
  onTestFinished(() => void child.kill("SIGKILL"));
  return child;
}

/** Ends of a process in PM2's log; the exit code is the number of the end. */
function crash(fleet: TestFleet): void {
  mkdirSync(join(fleet.root("web-1"), ".pm2"), { recursive: true });
  const lines = Array.from({ length: COUNT }, (_, at) => {
    const time = new Date(Date.now() - (60 - at) * 1_000).toLocaleString("sv").replace(" ", "T");
    return `${time}: PM2 log: App [api:0] exited with code [${at + 1}] via signal [SIGINT]\n`;
  });
  writeFileSync(join(fleet.root("web-1"), ".pm2/pm2.log"), lines.join(""));
}

/** The number of the message at which the process is killed, before it receives the server's response. */
test.skipIf(!hasNats).each(firstOrAll([1, 3, COUNT]))(
  "a node that is killed after it sends event %i, before the confirmation, sends each event once (needs nats-server)",
  async (which) => {
    const fleet = await testFleet();
    crash(fleet);
    const proxy = await natsProxy(fleet.server.url);
    let [sent, isStored] = [0, false];
    const killed = new Promise<void>((resolve) => {
      proxy.watch((direction, text) => {
        if (direction === "sent") sent += text.match(/PUB in\.events\.web-1 /g)?.length ?? 0;
        isStored ||= sent >= which;
        if (direction === "sent" || !isStored || !text.includes('"stream":"svcm_events"')) return undefined;
        first.kill("SIGKILL");
        resolve();
        return "cut";
      });
    });
    const first = agent(fleet, proxy.url);
    await killed;
    if (first.signalCode === null) await once(first, "exit");
    agent(fleet, fleet.server.url);
    const vera = await fleet.as("vera");
    const codes = async () => {
      const { events } = await vera.events({ nodes: ["web-1"], apps: [], limit: 1000 });
      return events.toReversed().flatMap(({ exitCode }) => exitCode ?? []);
    };
    const wanted = Array.from({ length: COUNT }, (_, at) => at + 1);
    await expect.poll(codes, { timeout: 60_000 }).toEqual(wanted);
  },
);
