/** A cluster under a real PM2 that answers requests, and the load on it. */
import { join } from "node:path";
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, expect } from "vitest";
import { execute, processAct, type Caller } from "../../src/core/index.ts";
import { freePort } from "../support/free-port.ts";
import { loadDuring, type Load } from "../support/http-load.ts";
import { pm2 } from "../support/pm2-daemon.ts";

export const caller: Caller = { source: "cli", actor: "tester", grants: ["read", "write"] };

/**
 * Answers after 20 ms, and logs when it begins to listen and when PM2 ends it. It exits a moment later, because a
 * connection that the cluster has just passed to it is returned to the others. On a loaded machine such connections may
 * wait behind the timer, so it handles them before it exits.
 */
export const SERVER = (log: string): string => `
const note = (what) => require("node:fs").appendFileSync(${JSON.stringify(log)}, what + "\\n");
const server = require("node:http").createServer((request, response) => setTimeout(() => response.end(), 20));
server.listen(Number(process.env.PORT), "127.0.0.1", () => { note("up"); process.send("ready"); });
process.on("SIGINT", () => {
  note("down");
  const isClosed = new Promise((resolve) => server.close(resolve));
  const end = () => setImmediate(() => setImmediate(() => isClosed.then(() => process.exit(0))));
  setTimeout(end, 500);
});`;

/** For a file of tests: the app `web` runs with two instances. */
export function clustered() {
  const own = pm2();
  const ports = own.ports();
  let port = 0;
  beforeAll(async () => {
    await own.startDaemon();
    port = await freePort();
    await web("web", port, 2);
  });
  afterAll(() => own.end());

  const logOf = (name: string): string => join(own.folder, `${name}.log`);
  const web = (name: string, listens: number, instances: number, more: object = {}) =>
    own.run({
      name,
      code: SERVER(logOf(name)),
      instances,
      exec_mode: "cluster",
      wait_ready: true,
      kill_timeout: 20_000,
      env: { PORT: listens },
      ...more,
    });
  const act = (action: "restart" | "reload", name: string, world = ports) =>
    execute(processAct, world, { action, name }, caller);
  const recordsOf = async (name: string) => (await ports.processes.list()).filter((record) => record.name === name);

  async function expectTurns(action: "restart" | "reload"): Promise<void> {
    const name = `turns-${action}`;
    await web(name, await freePort(), 3);
    await act(action, name);
    const events = readFileSync(logOf(name), "utf8").trim().split("\n").slice(3);
    expect(events.filter((event) => event === "down")).toHaveLength(3);
    let listening = 3;
    for (const event of events) {
      listening += event === "up" ? 1 : -1;
      expect(listening).toBeGreaterThanOrEqual(2);
    }
  }
  return {
    own,
    ports,
    logOf,
    web,
    act,
    recordsOf,
    loadDuring: (work: () => Promise<unknown>): Promise<Load> => loadDuring(() => port, work),
    expectTurns,
  };
}
