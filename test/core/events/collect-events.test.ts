import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { collectEvents, collectNewestEvents } from "../../../src/core/events/collect-events.ts";
import { eventsList, eventWhy, execute, nodePorts, type Ports, type SvcmEvent } from "../../../src/core/index.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { firstOrAll, longTest, sampleOrAll } from "../../support/runs.ts";

const caller = { source: "cli", grants: ["read"] } as const;
const NOW = Math.floor(Date.now() / 1000) * 1000;
const HOUR = 3_600_000;

/** PM2 writes the local time of the machine. */
function line(atMs: number, text: string): string {
  const at = new Date(atMs);
  const date = [at.getFullYear(), at.getMonth() + 1, at.getDate()].map(padded).join("-");
  return `${date}T${[at.getHours(), at.getMinutes(), at.getSeconds()].map(padded).join(":")}: PM2 log: ${text}\n`;
}

const padded = (value: number): string => String(value).padStart(2, "0");

function world(log: string): Ports {
  const root = temporaryFolder();
  const home = join(root, "pm2");
  mkdirSync(home);
  writeFileSync(join(home, "pm2.log"), log);
  return nodePorts({ root, env: { PM2_HOME: home }, cwd: root });
}

/** Counts the lines of PM2's log that each read returns for analysis. */
function countLines(ports: Ports): { readonly ports: Ports; readonly counts: readonly number[] } {
  const counts: number[] = [];
  const processLogs: Ports["processLogs"] = {
    ...ports.processLogs,
    async readPm2Log(query, signal) {
      const log = await ports.processLogs.readPm2Log(query, signal);
      counts.push(log.entries.length);
      return log;
    },
  };
  return { ports: { ...ports, processLogs }, counts };
}

/** Ends of three processes in turn, one per second until now. */
function crashes(count: number): string {
  return Array.from({ length: count }, (_, index) => {
    const id = index % 3;
    const atMs = NOW - (count - index) * 1000;
    const end = `App [app-${id}:${id}] exited with code [${1 + (index % 7)}] via signal [SIGINT]`;
    return line(atMs, end) + line(atMs, `App [app-${id}:${id}] starting in -fork mode-`);
  }).join("");
}

/** More than the newest part of a log that is read at first. */
const MANY = 10_500;
const CRASHES = crashes(MANY);

test("an end after an order is not a crash, even if the order is before the requested time", async () => {
  const log = [
    line(NOW - 3000, "Stopping app:api id:0"),
    line(NOW - 1000, "App [api:0] exited with code [1] via signal [SIGINT]"),
  ];
  const { events } = await execute(eventsList, world(log.join("")), { since: NOW - 2000 }, caller);
  expect(events).toEqual([expect.objectContaining({ app: "api", kind: "stop", cause: "pm2-cli" })]);
});

test("a start right after PM2 gave up is not PM2's own", async () => {
  const exit = "App [api:0] exited with code [1] via signal [SIGINT]";
  const log = [
    line(NOW - 4000, exit),
    line(NOW - 4000, "App [api:0] starting in -fork mode-"),
    line(NOW - 3000, exit),
    line(NOW - 3000, 'Script /srv/app.js had too many unstable restarts (2). Stopped. "errored"'),
    line(NOW - 3000, "App [api:0] starting in -fork mode-"),
  ];
  const { events } = await execute(eventsList, world(log.join("")), { since: NOW - 60_000 }, caller);
  const again = "PM2 started it again.";
  expect(events.map(({ kind, evidence }) => [kind, evidence.includes(again)])).toEqual([
    ["start", false],
    ["exit", false],
    ["exit", true],
  ]);
});

longTest("the pages of a large log together contain the complete log", async () => {
  const ports = world(line(NOW - 9 * HOUR, "App [quiet:9] exited with code [4] via signal [SIGINT]") + CRASHES);
  const since = NOW - 10 * HOUR;
  const pages = async (options: { limit?: number; apps?: string[] }): Promise<SvcmEvent[]> => {
    const found: SvcmEvent[] = [];
    for (let cursor: string | undefined; ;) {
      const { events, next, complete } = await execute(eventsList, ports, { since, cursor, ...options }, caller);
      expect(complete).toBe(true);
      found.push(...events);
      if (next === null) return found;
      cursor = next;
    }
  };
  const whole = (await collectEvents(ports, since, undefined)).events.map(
    ({ event }) => `${event.app} ${event.exitCode}`,
  );
  expect(whole).toHaveLength(MANY + 1);
  const found = await pages({ limit: 1000 });
  expect(found.map(({ app, exitCode }) => `${app} ${exitCode}`)).toEqual(whole);
  expect(await pages({ apps: ["quiet"] })).toEqual([expect.objectContaining({ exitCode: 4 })]);
});

test("only the newest part of a large log is analysed if that is sufficient", async () => {
  const ports = world(line(NOW - 9 * HOUR, "App [quiet:9] exited with code [4] via signal [SIGINT]") + CRASHES);
  const sinceMs = NOW - 10 * HOUR;
  const found = await collectNewestEvents(ports, { sinceMs, upToMs: Infinity, isEnough: () => true }, undefined);
  expect(found.fromMs).toBeGreaterThan(sinceMs);
  expect(found.events.length).toBeLessThan(MANY);
  expect(found.events.every(({ atMs }) => atMs >= found.fromMs)).toBe(true);
  const why = async (name: string) => (await execute(eventWhy, ports, { name }, caller)).event;
  expect(await why("app-1")).toMatchObject({ exitCode: 1 + ((MANY - 2) % 7) });
  expect(await why("quiet")).toMatchObject({ exitCode: 4 });
  expect((await execute(eventWhy, ports, { name: "quiet" }, caller)).known).toMatch(/^The last end was at /);
});

const rare = [
  [
    "memory-limit",
    "[PM2][WORKER] Process 9 restarted because it exceeds --max-memory-restart value (current_memory=9 max_memory_limit=8 [octets])",
  ],
  ["watch", "Change detected on path src/a.js for app rare - restarting"],
  ["oom-kill", undefined],
  ["cron", "[PM2] Deregistering a cron job on: 9"],
  ["signal", undefined],
] as const;

longTest.each(firstOrAll(rare))(
  "the only event with the cause %s is found in the oldest part of a large log",
  async (cause, reason) => {
    const atMs = Math.floor((NOW - 9 * HOUR) / 60_000) * 60_000;
    const order = reason === undefined ? "" : line(atMs, reason) + line(atMs, "Stopping app:rare id:9");
    const end = `App [rare:9] exited with code [0] via signal [${reason === undefined ? "SIGKILL" : "SIGINT"}]`;
    const ports = world(order + line(atMs, end) + CRASHES);
    const readKernel = async () => ({ logged: cause === "oom-kill" ? [{ atMs, pid: 1 }] : [] });
    const list = (log: Ports) => {
      const seen = { ...log, sightings: { ...log.sightings, readKernel } };
      return execute(eventsList, seen, { since: NOW - 10 * HOUR, cause }, caller);
    };
    expect((await list(ports)).events).toEqual([expect.objectContaining({ app: "rare", cause })]);
    const without = countLines(world(CRASHES));
    expect(await list(without.ports)).toMatchObject({ events: [], next: null, complete: true });
    expect(without.counts).toEqual([expect.any(Number), 0]);
  },
);

const order = (verb: string): string => line(NOW - 9 * HOUR, "Stopping app:rare id:9") + line(NOW - 9 * HOUR, verb);
const EXIT = "App [rare:9] exited with code [0] via signal [SIGINT]";
const START = line(NOW - 9 * HOUR, "App [rare:9] starting in -fork mode-");

const oldestEvents = [
  [{ cause: "exit" }, START + line(NOW - 9 * HOUR, EXIT)],
  [{ cause: "pm2-cli" }, order(EXIT)],
  [{ kind: "stop" }, order(EXIT)],
  [{ kind: "restart" }, order(EXIT) + START],
  [{ kind: "restart" }, START + line(NOW - 9 * HOUR, EXIT.replace(":9", ":_old_9"))],
] as const;

longTest.each(sampleOrAll(oldestEvents, oldestEvents.slice(0, 2)))(
  "the only event of %o is found in the oldest part of a large log",
  async (filter, oldest) => {
    const list = (ports: Ports) => execute(eventsList, ports, { since: NOW - 10 * HOUR, ...filter }, caller);
    expect((await list(world(oldest + CRASHES))).events).toEqual([expect.objectContaining({ app: "rare", ...filter })]);
    expect(await list(world(CRASHES))).toMatchObject({ events: [], next: null, complete: true });
  },
);

longTest("an event of PM2's daemon is found in the oldest part of a large log", async () => {
  const ports = world(line(NOW - 9 * HOUR, "PM2 successfully stopped") + CRASHES);
  for (const filter of [{ cause: "daemon" }, { kind: "daemon" }] as const) {
    const { events } = await execute(eventsList, ports, { since: NOW - 10 * HOUR, ...filter }, caller);
    expect(events).toEqual([expect.objectContaining({ kind: "daemon", cause: "daemon" })]);
  }
});

longTest("an event of svcm needs an audit record, so a log is read only as far back as the audit log", async () => {
  const ports = world(CRASHES);
  let oldestMs = Infinity;
  const processLogs: Ports["processLogs"] = {
    ...ports.processLogs,
    readPm2Log(query, signal) {
      oldestMs = Math.min(oldestMs, query.sinceMs);
      return ports.processLogs.readPm2Log(query, signal);
    },
  };
  let reads = 0;
  const audit: Ports["audit"] = {
    ...ports.audit,
    newest(query, signal) {
      reads += 1;
      return ports.audit.newest(query, signal);
    },
  };
  const ask = (filter: object) =>
    execute(eventsList, { ...ports, processLogs, audit }, { since: NOW - 10 * HOUR, ...filter }, caller);
  expect(await ask({ cause: "svcm" })).toMatchObject({ events: [], complete: true });
  expect(reads).toBe(1);
  const beganMs = NOW - HOUR;
  await ports.audit.append({
    id: "a".repeat(26),
    timestamp: new Date(beganMs).toISOString(),
    action: "env.write",
    outcome: "succeeded",
    source: "cli",
    keys: ["SVC_HTTP_FRAMEWORK"],
  });
  for (const filter of [{ cause: "svcm" }, { kind: "write" }, { kind: "action" }])
    expect((await ask(filter)).events).toHaveLength("kind" in filter && filter.kind === "action" ? 0 : 1);
  expect(oldestMs).toBeGreaterThan(beganMs - HOUR);
  await ask({ kind: "delete" });
  expect(oldestMs).toBeLessThan(NOW - 9 * HOUR);
});

longTest("for a name that is not in the log, PM2 is asked, and no line is analysed", async () => {
  const { ports, counts } = countLines(
    world(line(NOW - 9 * HOUR, "App [quiet.1:9] exited with code [4] via signal [SIGINT]") + CRASHES),
  );
  const ask = (...apps: string[]) => execute(eventsList, ports, { apps }, caller);
  expect((await ask("quiet.1")).events).toHaveLength(1);
  const ended = await execute(eventsList, ports, { apps: ["quiet.1"], since: NOW - HOUR, cause: "watch" }, caller);
  expect(ended).toMatchObject({ events: [], complete: true });
  for (const name of ["quiet", "quiet_1", "app-", "app-0|x", "\\"])
    await expect(ask("app-0", name)).rejects.toMatchObject({
      kind: "PM2_FAILED",
    });
  const before = counts.length;
  await expect(execute(eventWhy, ports, { name: "quiet" }, caller)).rejects.toMatchObject({ kind: "PM2_FAILED" });
  expect(counts.slice(before)).toEqual([expect.any(Number), 0]);
});
