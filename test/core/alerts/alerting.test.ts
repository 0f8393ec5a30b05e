/** The alerts of a machine over hours, with a clock that the test moves. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createAlerting } from "../../../src/core/alerts/alerting.ts";
import type { AlertMessage } from "../../../src/core/api/alerts.ts";
import type { Ports } from "../../../src/core/index.ts";
import { countingPorts, runningRecord } from "../../support/counting-ports.ts";
import { pass } from "../../support/watcher.ts";

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const SETTINGS = { webhook: "HOOK", webhookSecret: undefined, command: undefined, heartbeat: undefined, rules: {} };
const ERRORED = runningRecord({ name: "api", status: "errored", pid: null });
const ONLINE = runningRecord({ name: "api" });

/** A server whose receiver keeps the messages. */
async function alerted({ read = async (): Promise<unknown> => [], settings = SETTINGS } = {}) {
  const world = countingPorts();
  const [problems, messages]: [string[], AlertMessage[]] = [[], []];
  const receiver = { isAway: false };
  const send = async (_: unknown, message: AlertMessage): Promise<void> => {
    if (receiver.isAway) throw new Error("ECONNREFUSED");
    messages.push(message);
  };
  const ports = Object.create(world.ports, {
    marks: { value: async () => ({ read }) },
    notifier: { value: { ...world.ports.notifier, send, sendHeartbeat: async () => undefined } },
  }) as Ports;
  const start = () => {
    const alerting = createAlerting(ports);
    onTestFinished(() => alerting.stop());
    alerting.start(settings, (error) => void problems.push(String(error)));
    return alerting;
  };
  const reported = (): string[] => messages.map(({ state, rule, subject }) => `${state} ${rule} ${subject}`);
  // Vitest loads it once, and the clock of the world does not wait for that.
  await ports.alertRecords();
  return { world, problems, messages, receiver, start, reported, alerting: start() };
}

const during = (world: ReturnType<typeof countingPorts>, ms: number) =>
  pass(world, ms, ms >= HOUR ? MINUTE : 10 * SECOND);

test("mutes that cannot be read are reported once, until the reason is another one", async () => {
  let reason = "EACCES";
  const { world, problems } = await alerted({ read: () => Promise.reject(new Error(reason)) });
  await during(world, MINUTE);
  expect(problems).toEqual(["Error: EACCES"]);
  reason = "EIO";
  await during(world, MINUTE);
  expect(problems).toEqual(["Error: EACCES", "Error: EIO"]);
});

test.each([
  ["is not muted", "another", 2031, true],
  ["is muted", "api", 2031, false],
  ["was muted until last year", "api", 2029, true],
])("an app that %s", async (_, subject, year, isSent) => {
  // The clock of this world begins in 2030.
  const until = new Date(Date.UTC(year, 0, 1)).toISOString();
  const read = async () => [{ subject, mute: { kinds: ["PROCESS_ERRORED"], until } }];
  const { world, reported } = await alerted({ read });
  world.records = [ERRORED];
  await during(world, 20 * MINUTE);
  expect(reported().includes("firing not-online api (0)")).toBe(isSent);
});

test("a long incident is repeated after six hours, also if the clock goes back, and resolved once", async () => {
  const { world, reported } = await alerted();
  world.records = [ERRORED];
  await during(world, 4 * HOUR);
  world.clock.set(-5 * HOUR);
  await during(world, 3 * HOUR);
  world.records = [ONLINE];
  await during(world, 10 * MINUTE);
  const own = reported().filter((text) => text.endsWith("api (0)"));
  expect(own).toEqual([...Array<string>(2).fill("firing not-online api (0)"), "resolved not-online api (0)"]);
});

test("while PM2 is away, no alert about a process is resolved", async () => {
  const { world, reported } = await alerted();
  world.records = [ERRORED];
  await during(world, 2 * MINUTE);
  world.records = undefined;
  await during(world, 5 * MINUTE);
  expect(reported()).toEqual(["firing not-online api (0)", "firing pm2-away PM2"]);
  world.records = [ERRORED];
  await during(world, 5 * MINUTE);
  expect(reported().slice(2)).toEqual(["resolved pm2-away PM2"]);
  world.records = [ONLINE];
  await during(world, 5 * MINUTE);
  expect(reported().slice(3)).toEqual(["resolved not-online api (0)"]);
});

test("a server that is started again in an incident repeats no alert, and resolves it", async () => {
  const { world, reported, alerting, start } = await alerted();
  world.records = [ERRORED];
  await during(world, 2 * MINUTE);
  await alerting.stop();
  await during(world, MINUTE);
  world.clock.set(-HOUR);
  const second = start();
  await during(world, 20 * MINUTE);
  expect(reported()).toEqual(["firing not-online api (0)"]);
  await second.stop();
  world.records = [ONLINE];
  start();
  await during(world, 5 * MINUTE);
  expect(reported()).toEqual(["firing not-online api (0)", "resolved not-online api (0)"]);
});

test.each([
  ["goes on", 30 * SECOND, 60 * SECOND],
  ["begins again, because it may have ended in between", 2 * MINUTE, 0],
])("a condition that was not reported before a restart %s", async (_, awayMs, earlierMs) => {
  const settings = { ...SETTINGS, rules: { "not-online": "2m" } };
  const { world, reported, messages, alerting, start } = await alerted({ settings });
  world.records = [ERRORED];
  await during(world, MINUTE);
  await alerting.stop();
  await during(world, awayMs);
  start();
  await during(world, 50 * SECOND);
  expect(reported()).toEqual(earlierMs === 0 ? [] : ["firing not-online api (0)"]);
  await during(world, 2 * MINUTE);
  const [{ at, since } = { at: "", since: "" }] = messages;
  expect([reported().length, Date.parse(at) - Date.parse(since)]).toEqual([1, 2 * MINUTE]);
});

test("the record forgets the alerts of a rule that is off now, so that a later look does not resolve or date them", async () => {
  const settings = { ...SETTINGS, rules: {} as Record<string, string> };
  const { world, reported, alerting, start } = await alerted({ settings });
  world.records = [ERRORED];
  await during(world, 2 * MINUTE);
  await alerting.stop();
  const path = join(world.root, ".svcm/alerts.json");
  const kept = () => (JSON.parse(readFileSync(path, "utf8")) as { reported: unknown[] }).reported.length;
  expect(kept()).toBe(1);
  settings.rules["not-online"] = "off";
  const second = start();
  await during(world, MINUTE);
  await second.stop();
  expect(kept()).toBe(0);
  expect(reported()).toEqual(["firing not-online api (0)"]);
});

test("the alerts of another machine in the same folder are left alone", async () => {
  const { world, reported, alerting, start } = await alerted();
  world.records = [ERRORED];
  await during(world, 2 * MINUTE);
  await alerting.stop();
  const path = join(world.root, ".svcm/alerts.json");
  writeFileSync(path, JSON.stringify({ ...(JSON.parse(readFileSync(path, "utf8")) as object), host: "another" }));
  world.records = [ONLINE];
  start();
  await during(world, 5 * MINUTE);
  expect(reported()).toEqual(["firing not-online api (0)"]);
});

test("a damaged record is a problem, and alerts are sent all the same", async () => {
  const { world, reported, problems, alerting, start } = await alerted();
  world.records = [ERRORED];
  await during(world, 2 * MINUTE);
  await alerting.stop();
  writeFileSync(join(world.root, ".svcm/alerts.json"), '{"version":1');
  start();
  await during(world, 2 * MINUTE);
  expect(problems).toHaveLength(1);
  expect(reported()).toEqual(Array<string>(2).fill("firing not-online api (0)"));
});

test("messages wait for a receiver that is away, also over a restart, and say that they are late", async () => {
  const { world, reported, messages, problems, receiver, alerting, start } = await alerted();
  receiver.isAway = true;
  world.records = [ERRORED];
  await during(world, 10 * MINUTE);
  world.records = [ONLINE];
  await during(world, 10 * MINUTE);
  expect(problems).toEqual(["Error: ECONNREFUSED"]);
  await alerting.stop();
  receiver.isAway = false;
  start();
  await during(world, MINUTE);
  expect(reported()).toEqual(["firing not-online api (0)", "resolved not-online api (0)"]);
  expect(messages[0]?.text).toMatch(/ It was made at 2030-01-01T00:01:\d\dZ, and could not be sent then\.$/);
});

test("a message that no receiver took within a day is left out", async () => {
  const { world, reported, receiver } = await alerted();
  receiver.isAway = true;
  world.records = [ERRORED];
  await during(world, 2 * MINUTE);
  world.records = [ONLINE];
  await during(world, 5 * MINUTE);
  world.clock.set(DAY);
  receiver.isAway = false;
  await during(world, 10 * MINUTE);
  expect(reported()).toEqual([]);
});

test("a command that fails is not started again for the same message", async () => {
  const settings = { ...SETTINGS, webhook: undefined, command: ["notify"] } as never;
  const { world, problems, receiver, reported } = await alerted({ settings });
  receiver.isAway = true;
  world.records = [ERRORED];
  await during(world, 5 * MINUTE);
  receiver.isAway = false;
  await during(world, 5 * MINUTE);
  expect(problems).toEqual(["Error: ECONNREFUSED"]);
  expect(reported()).toEqual([]);
});
