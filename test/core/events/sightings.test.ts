import type { RunningCommand } from "../../../src/core/pm2/process-record.ts";
import { expect, test } from "vitest";
import { attributeEvents } from "../../../src/core/events/attribute-events.ts";
import { logEvents } from "../../../src/core/events/log-events.ts";
import { logEntry } from "../../../src/core/logs/log-line.ts";
import {
  commandsFor,
  readSighting,
  withCommands,
  withKernel,
  type CommandSighting,
} from "../../../src/core/events/sightings.ts";

const second = (seconds: number): string => `2026-11-22T04:42:${String(seconds).padStart(2, "0")}`;
const msOf = (seconds: number): number => Date.parse(second(seconds));
const logOf = (...lines: (readonly [number, string])[]) =>
  logEvents(lines.flatMap(([at, text]) => logEntry(`${second(at)}: PM2 log: ${text}`) ?? []));

const START = "App [api:0] starting in -fork mode-";
const STOPPING = "Stopping app:api id:0";
const exit = (code: number, signal = "SIGINT"): string =>
  `App [api:0] exited with code [${code}] via signal [${signal}]`;
const RESTART = [
  [2, STOPPING],
  [3, exit(0)],
  [3, START],
] as const;
const seen = (fields: Partial<CommandSighting> = {}): CommandSighting => ({
  type: "command",
  atMs: msOf(2),
  pmId: 0,
  verb: "restart",
  user: "ann",
  command: "7-1",
  isNamed: true,
  ...fields,
});

test("a command that names the process when PM2 begins to stop it is a likely cause, with its user", () => {
  const [event] = withCommands(logOf(...RESTART), [seen()]).map((one) => one.event);
  expect(event).toMatchObject({ kind: "restart", cause: "pm2-cli", certainty: "likely", actor: "ann (pm2 restart)" });
});

test.each([
  ["it names a file", [seen({ isNamed: false })]],
  ["two commands ran", [seen(), seen({ command: "8-1", user: "ben" })]],
])("a command is only a likely cause if %s", (_case, sightings) => {
  const [event] = withCommands(logOf(...RESTART), sightings).map((one) => one.event);
  expect(event).toMatchObject({ cause: "pm2-cli", certainty: "likely" });
});

test("a command explains neither a crash nor a restart for which PM2 gives a reason", () => {
  const crash = logOf([2, exit(1)]);
  expect(withCommands(crash, [seen()])[0]?.event).toMatchObject({ cause: "crash", certainty: "likely" });
  const watched = logOf([2, "Change detected on path a.js for app api - restarting"], ...RESTART);
  expect(withCommands(watched, [seen()])[0]?.event).toMatchObject({ cause: "watch", certainty: "certain" });
});

test("a delete by PM2's command is reported as a delete", () => {
  const [logged] = withCommands(logOf([2, STOPPING], [3, exit(0)]), [seen({ verb: "delete" })]);
  expect(logged?.event).toMatchObject({ kind: "delete", cause: "pm2-cli", certainty: "likely" });
});

test("a command of PM2 and an action of svcm at the same time are both only likely causes", () => {
  const home = "/home/deploy/.pm2";
  const record = {
    id: "1",
    timestamp: new Date(msOf(4)).toISOString(),
    action: "process.restart",
    source: "cli",
    outcome: "succeeded",
    ms: 2500,
    processes: [{ name: "api", pmId: 0, pm2Home: home }],
  } as const;
  const [happening] = attributeEvents(withCommands(logOf(...RESTART), [seen()]), [record], home);
  expect(happening?.event).toMatchObject({ cause: "pm2-cli", certainty: "likely", actor: "ann (pm2 restart)" });
  expect(happening?.event.evidence.join(" ")).toContain("process.restart");
});

test.each([
  [["restart", "api"], true],
  [["restart", "0"], true],
  [["reload", "all"], true],
  [["kill"], true],
  [["reload", "ecosystem.config.js"], false],
  [["stop", "web"], undefined],
  [["logs", "api"], undefined],
  [["list"], undefined],
] as const)("pm2 %j may be meant for api (id 0): named %s", ([verb = "", ...words], isNamed) => {
  const running: RunningCommand = { id: "7-1", verb, words, user: "ann" };
  const found = commandsFor([running], { atMs: 1, pmId: 0, name: "api" });
  expect(found.map((one) => one.isNamed)).toEqual(isNamed === undefined ? [] : [isNamed]);
});

test("a sighting contains no argument of the command", () => {
  const running: RunningCommand = { id: "7-1", verb: "restart", words: ["api", "--token=canary-4411"], user: "ann" };
  expect(JSON.stringify(commandsFor([running], { atMs: 1, pmId: 0, name: "api" }))).not.toContain("canary");
});

const NOBODY = { seen: [], programOf: () => undefined };
const KILLED = [[5, exit(0, "SIGKILL")]] as const;

test.each([
  [
    "the kernel killed no process for memory",
    { bootedMs: 0, kills: 0 },
    "signal",
    "certain",
    "The kernel did not send it",
  ],
  [
    "the kernel killed a process at another time",
    { kills: 1, logged: [{ atMs: msOf(50), pid: 9 }] },
    "signal",
    "certain",
    "also",
  ],
  [
    "the kernel's log has a kill at that time",
    { kills: 1, logged: [{ atMs: msOf(5), pid: 9 }] },
    "oom-kill",
    "likely",
    "log",
  ],
  ["nothing is known of the kernel", {}, "signal", "certain", "The kernel also sends this signal"],
])("the cause of a SIGKILL if %s", (_case, kernel, cause, certainty, words) => {
  const [logged] = withKernel(logOf(...KILLED), kernel, { ...NOBODY, seen: [] });
  expect(logged?.event).toMatchObject({ cause, certainty, signal: "SIGKILL" });
  expect(logged?.event.evidence.join(" ")).toContain(words);
});

test.each([
  [true, "certain"],
  [false, "likely"],
])("an out-of-memory kill that svcm saw, named by the kernel's log: %s, is %s", (isNamed, certainty) => {
  const [logged] = withKernel(
    logOf(...KILLED),
    {},
    { ...NOBODY, seen: [{ type: "memory-kill", atMs: msOf(5), pmId: 0, isNamed }] },
  );
  expect(logged?.event).toMatchObject({ cause: "oom-kill", certainty });
});

test("two processes that end by SIGKILL at the same time do not share one kill of the kernel", () => {
  const both = logOf([5, exit(0, "SIGKILL")], [5, "App [web:1] exited with code [0] via signal [SIGKILL]"]);
  const events = withKernel(both, { kills: 1, logged: [{ atMs: msOf(5), pid: 9 }] }, { ...NOBODY, seen: [] });
  expect(events.map(({ event }) => event.cause)).toEqual(["signal", "signal"]);
});

const DAEMON = "-------------------- New PM2 Daemon started --------------------";

test.each([
  ["was started again in between", msOf(10), "The machine restarted"],
  ["ran on", msOf(1) - 86_400_000, "killed or crashed"],
])("a daemon starts although the previous one did not end: the machine %s", (_case, bootedMs, words) => {
  const lost = logOf([5, START], [20, DAEMON]);
  const daemon = withKernel(lost, { bootedMs }, { ...NOBODY, seen: [] }).find(({ event }) => event.kind === "daemon");
  expect(daemon?.event.evidence.join(" ")).toContain(words);
});

test.each(["", "{", '{"type":"command"}', '{"type":"command","atMs":1,"pmId":0,"isNamed":true,"verb":1}'])(
  "the line %j is not read as a sighting",
  (line) => expect(readSighting(line)).toBeUndefined(),
);

test("a sighting remains after its file is removed", () => {
  expect(readSighting(JSON.stringify(seen()))).toEqual(seen());
});
