import { readFileSync, statSync } from "node:fs";
import { userInfo } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { eventWhy, execute, processAct, type Caller } from "../../src/core/index.ts";
import { memoryGroup } from "../support/memory-group.ts";
import { watchedPm2 } from "./watched-pm2.ts";
import { longTest } from "../support/runs.ts";

const CANARY = "canary-Qn7-33f0a91c";
const caller: Caller = { source: "cli", actor: "tester", grants: ["read", "write", "logs"] };
const user = userInfo().username;
const { own, ports, command, recordOf, next } = watchedPm2();

test("a restart by PM2's command has a certain cause, with verb and user, also for later readers", async () => {
  await command("restart", "first", "--", `--token=${CANARY}`);
  const event = await next({ app: "first", kind: "restart" });
  expect(event).toMatchObject({ cause: "pm2-cli", certainty: "likely", actor: `${user} (pm2 restart)` });
  const { event: later } = await execute(eventWhy, own.ports(), { name: "first" }, caller);
  expect(later).toEqual(event);
});

longTest("a restart by svcm has its actor and the number of its record", async () => {
  await own.run({ name: "ours" });
  await execute(processAct, ports, { action: "restart", name: "ours" }, caller);
  const event = await next({ app: "ours", kind: "restart" });
  const [record] = (await ports.audit.newest({ limit: 1, text: "process.restart" })).records;
  expect(event).toMatchObject({ cause: "svcm", actor: "tester (cli)", auditId: record?.id });
});

longTest("a kill by the kernel because memory ran out is reported as such", async (context) => {
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

test("the file of sightings is readable only by its owner, and contains no argument of a command", () => {
  const file = join(own.home, ".svcm", "sightings.jsonl");
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readFileSync(file, "utf8")).toContain('"restart"');
  expect(readFileSync(file, "utf8")).not.toContain(CANARY);
});
