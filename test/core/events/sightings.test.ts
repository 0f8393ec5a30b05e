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

test("a command that ends the daemon is named so only where the daemon ended", () => {
  const [logged] = withCommands(logOf([2, STOPPING], [3, exit(0)]), [seen({ verb: "update" })]);
  expect(logged?.event.evidence[0]).toBe("ann ran `pm2 update` at that moment.");
  const ended = logOf([2, STOPPING], [3, exit(0)], [4, "PM2 successfully stopped"]);
  const first = (verb: string) => withCommands(ended, [seen({ verb })])[0]?.event;
  const words = "ann ran `pm2 kill`, which stops PM2's daemon and all processes.";
  expect(first("kill")).toMatchObject({
    cause: "daemon",
    actor: "ann (pm2 kill)",
    evidence: [words, expect.anything(), expect.anything()],
  });
  expect(first("restart")).not.toHaveProperty("actor");
});

test("a command at another time, or for another process, explains nothing", () => {
  const plain = logOf([2, STOPPING], [3, exit(0)]);
  for (const other of [seen({ atMs: msOf(1) }), seen({ pmId: 4 })]) expect(withCommands(plain, [other])).toEqual(plain);
  const two = [seen({ isNamed: false, user: "ben" }), seen()];
  expect(withCommands(plain, two)[0]?.event.actor).toBe("ann (pm2 restart)");
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

test("of several commands, the one that names the process is its cause, and each process has its own", () => {
  const file = seen({ isNamed: false, command: "6-1", user: "ben" });
  expect(withCommands(logOf(...RESTART), [file, seen()])[0]?.event.actor).toBe("ann (pm2 restart)");
  expect(withCommands(logOf(...RESTART), [seen({ pmId: 1 })])[0]?.event.actor).toBeUndefined();
  expect(withCommands(logOf(...RESTART), [seen({ atMs: msOf(3) })])[0]?.event.actor).toBeUndefined();
});

test("a file among other words may name the process, and an option alone does not", () => {
  const named = (...words: string[]) =>
    commandsFor([{ id: "7-1", verb: "restart", words, user: "ann" }], { atMs: 1, pmId: 0, name: "api" }).length;
  expect([named("--update-env", "eco.json"), named("web", "./app"), named("--update-env")]).toEqual([1, 1, 0]);
});

test.each([
  ["the path of its script", "node /srv/shop/api.js", true],
  ["the beginning of that, as the kernel keeps it", "node /srv/shop/", true],
  ["the name of its script", "api.js", true],
  ["the name of its interpreter", "bun", true],
  ["Node.js", "node", true],
  ["the main thread of Node.js", "MainThread", true],
  ["another program", "chrome", false],
  ["another script", "node /srv/blog/", false],
  ["no name", undefined, true],
])("a kill of the kernel may be that of a process if it names %s", (_what, name, isCause) => {
  const programOf = () => ({ script: "/srv/shop/api.js", interpreter: "/usr/bin/bun" });
  const logged = [{ atMs: msOf(5), pid: 9, name }];
  const [found] = withKernel(logOf(...KILLED), { kills: 1, logged }, { seen: [], programOf });
  expect(found?.event.cause).toBe(isCause ? "oom-kill" : "signal");
});

test.each([
  [2, "signal"],
  [3, "oom-kill"],
  [7, "oom-kill"],
  [8, "signal"],
])("a kill at second %i is near an end at second 5: %s", (at, cause) => {
  const [found] = withKernel(logOf(...KILLED), { logged: [{ atMs: msOf(at), pid: 9 }] }, NOBODY);
  expect(found?.event.cause).toBe(cause);
});

test("the kernel explains no end by another signal, nor one of another process or time", () => {
  const kernel = { logged: [{ atMs: msOf(5), pid: 9 }] };
  const crash = withKernel(logOf([5, exit(1)]), kernel, NOBODY);
  expect(crash[0]?.event.cause).toBe("crash");
  const kill = { type: "memory-kill", atMs: msOf(5), pmId: 0, isNamed: true } as const;
  for (const other of [{ pmId: 1 }, { atMs: msOf(4) }])
    expect(withKernel(logOf(...KILLED), {}, { ...NOBODY, seen: [{ ...kill, ...other }] })[0]?.event.cause).toBe(
      "signal",
    );
});

test("that the kernel killed nothing is said only of the time since the machine started", () => {
  const words = (kernel: object) => withKernel(logOf(...KILLED), kernel, NOBODY)[0]?.event.evidence.join(" ");
  expect(words({ bootedMs: msOf(5), kills: 0 })).toContain("did not send it");
  for (const kernel of [{ bootedMs: msOf(6), kills: 0 }, { kills: 0 }, { bootedMs: 0, kills: 1 }])
    expect(words(kernel)).toContain("also sends this signal");
});

test.each<[string, object, boolean]>([
  ["a kill", { type: "memory-kill", atMs: 1, pmId: 0, isNamed: false }, true],
  ["a kill without its time", { type: "memory-kill", pmId: 0, isNamed: false }, false],
  ["a kill without its process", { type: "memory-kill", atMs: 1, isNamed: false }, false],
  ["a kill in doubt", { type: "memory-kill", atMs: 1, pmId: 0 }, false],
  ["a command without its user", { ...seen(), user: null }, false],
  ["a command without its id", { ...seen(), command: 7 }, false],
  ["something else", { ...seen(), type: "note" }, false],
])("a line with %s is read: %3$s", (_what, line, isRead) => {
  expect(readSighting(JSON.stringify(line)) !== undefined).toBe(isRead);
});

test("a sighting remains after its file is removed", () => {
  expect(readSighting(JSON.stringify(seen()))).toEqual(seen());
});
