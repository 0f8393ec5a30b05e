/** Events as they happen, under a real PM2, and what svcm sees at that moment. */
import { readFileSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { userInfo } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  eventWhy,
  execute,
  processAct,
  wholeSecond,
  type Caller,
  type Ports,
  type SvcmEvent,
} from "../../src/core/index.ts";
import { pm2, type Pm2 } from "../support/pm2-daemon.ts";
import { memoryGroup } from "../support/memory-group.ts";
import { pm2Command } from "./event-scenes.ts";

const CLI = createRequire(import.meta.url).resolve("pm2/bin/pm2");
const CANARY = "canary-Qn7-33f0a91c";
const caller: Caller = { source: "cli", actor: "tester", grants: ["read", "write", "logs"] };
const user = userInfo().username;

let own: Pm2;
let ports: Ports;
let next: (wanted: Partial<SvcmEvent>) => Promise<SvcmEvent>;
const stop = new AbortController();

beforeAll(async () => {
  own = pm2();
  await own.startDaemon();
  ports = own.ports();
  // The feed begins with the first read, and the app starts before.
  const fromMs = wholeSecond(Date.now());
  const feed = ports.eventFeed.watch(stop.signal, { apps: [], fromMs })[Symbol.asyncIterator]();
  next = async (wanted) => {
    for (;;) {
      const { value, done } = (await feed.next()) as IteratorResult<SvcmEvent, undefined>;
      if (done === true) throw new Error("the feed ended");
      if (Object.entries(wanted).every(([key, expected]) => value[key as keyof SvcmEvent] === expected)) return value;
    }
  };
  // The feed looks at the machine by now.
  await own.run(slow("first"));
  await next({ app: "first", kind: "start" });
});
afterAll(async () => {
  stop.abort();
  await own.end();
});

/** It ends some time after SIGINT, so PM2's command waits that long. */
const SLOW = `process.on("SIGINT", () => setTimeout(() => process.exit(0), 900));
  process.send("ready"); setInterval(() => {}, 1e6);`;
const slow = (name: string) => ({ name, code: SLOW, wait_ready: true, listen_timeout: 20_000, kill_timeout: 20_000 });
const command = (...args: string[]) => pm2Command(own, CLI)(...args);
const recordOf = async (name: string) => (await ports.processes.list()).find((record) => record.name === name)!;

test("a restart by PM2's command is certain, with verb and user, and stays so for later readers", async () => {
  await command("restart", "first", "--", `--token=${CANARY}`);
  const event = await next({ app: "first", kind: "restart" });
  expect(event).toMatchObject({ cause: "pm2-cli", certainty: "certain", actor: `${user} (pm2 restart)` });
  const { event: later } = await execute(eventWhy, own.ports(), { name: "first" }, caller);
  expect(later).toEqual(event);
});

test("a stop by PM2's command differs from a delete", async () => {
  await command("stop", "first");
  expect(await next({ app: "first", kind: "stop" })).toMatchObject({ cause: "pm2-cli", certainty: "certain" });
  await own.run(slow("gone"));
  await command("delete", "gone");
  expect(await next({ app: "gone", kind: "delete" })).toMatchObject({ actor: `${user} (pm2 delete)` });
});

test("a restart by svcm has its actor and the number of its record", async () => {
  await own.run({ name: "ours" });
  await execute(processAct, ports, { action: "restart", name: "ours" }, caller);
  const event = await next({ app: "ours", kind: "restart" });
  const [record] = (await ports.audit.newest({ limit: 1, text: "process.restart" })).records;
  expect(event).toMatchObject({ cause: "svcm", actor: "tester (cli)", auditId: record?.id });
});

test("SIGKILL by a person is a signal, not a kill by the kernel", async () => {
  await own.run({ name: "killed" });
  process.kill((await recordOf("killed")).pid!, "SIGKILL");
  expect(await next({ app: "killed", kind: "exit" })).toMatchObject({ cause: "signal", certainty: "certain" });
});

test("a kill by the kernel, because memory ran out, is named", async (context) => {
  const group = memoryGroup(`svcm-test-${process.pid}`, 48 * 2 ** 20);
  if (group === undefined) return context.skip("needs root and a memory cgroup");
  const code = `process.on("SIGUSR2", () => { const kept = []; for (;;) kept.push(Buffer.alloc(1 << 20, 1)); });
    process.send("ready"); setInterval(() => {}, 1e6);`;
  await own.run({ name: "greedy", autorestart: false, code, wait_ready: true, listen_timeout: 20_000 });
  const { pid } = await recordOf("greedy");
  group.add(pid ?? 0);
  process.kill(pid ?? 0, "SIGUSR2");
  const event = await next({ app: "greedy", kind: "exit" });
  group.remove();
  expect(event).toMatchObject({ cause: "oom-kill", signal: "SIGKILL" });
  expect(event.certainty).not.toBe("unknown");
});

test("the file of sightings is for its owner alone, and has no argument of a command", () => {
  const file = join(own.home, ".svcm", "sightings.jsonl");
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readFileSync(file, "utf8")).toContain('"restart"');
  expect(readFileSync(file, "utf8")).not.toContain(CANARY);
});

test("pm2 kill is certain, with the user", async () => {
  await own.run(slow("last"));
  await command("kill");
  const event = await next({ app: "last", kind: "stop" });
  expect(event).toMatchObject({ cause: "daemon", certainty: "certain", actor: `${user} (pm2 kill)` });
});
