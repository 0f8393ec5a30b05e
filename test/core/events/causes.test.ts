import { describe, expect, test } from "vitest";
import type { AuditRecord } from "../../../src/core/api/audit-record.ts";
import { attributeEvents as joined } from "../../../src/core/events/attribute-events.ts";
import { explainReload, explainStop, maySchedule } from "../../../src/core/events/causes.ts";
import { logEvents } from "../../../src/core/events/log-events.ts";
import { logEntry } from "../../../src/core/logs/log-line.ts";
import { paginateEvents, toSvcmEvent } from "../../../src/core/events/page.ts";

const HOME = "/home/deploy/.pm2";
const attributeEvents = (...given: Parameters<typeof joined>) => joined(...given).map(toSvcmEvent);
const second = (seconds: number): string => `2026-11-22T04:42:${String(seconds).padStart(2, "0")}`;
const logOf = (...lines: (readonly [number, string])[]) =>
  logEvents(lines.flatMap(([at, text]) => logEntry(`${second(at)}: PM2 log: ${text}`) ?? []));
const only = (...lines: (readonly [number, string])[]) => logOf(...lines).map(({ event }) => event);

const START = "App [api:0] starting in -fork mode-";
const STOPPING = "Stopping app:api id:0";
const exit = (code: number, signal = "SIGINT"): string =>
  `App [api:0] exited with code [${code}] via signal [${signal}]`;
const MEMORY =
  "[PM2][WORKER] Process 0 restarted because it exceeds --max-memory-restart value (current_memory=84455424 max_memory_limit=83886080 [octets])";

describe("a change of a watched file", () => {
  const stop = (afterMs: number) => ({ stoppingMs: 100_000 + afterMs, watch: { path: "a.js", atMs: 100_000 } });

  test.each([
    [0, "watch"],
    [1000, "watch"],
    [1001, "pm2-cli"],
    [-1, "pm2-cli"],
  ] as const)("explains a stop %d ms later as %s", (afterMs, cause) => {
    expect(explainStop(stop(afterMs)).cause).toBe(cause);
  });

  test.each([
    [10_000, "watch"],
    [10_001, "pm2-cli"],
  ] as const)("explains a reload whose old process ends %d ms later as %s", (afterMs, cause) => {
    const { watch } = stop(0);
    expect(explainReload({ watch }, 100_000 + afterMs).cause).toBe(cause);
  });

  test.each([
    [1000, true],
    [1001, false],
  ])("a stop %d ms after the time of a schedule may be the schedule's: %s", (afterMs, is) => {
    expect(maySchedule({ stoppingMs: 100_000 + afterMs, cron: { atMs: 100_000 } })).toBe(is);
  });
});

test.each([
  ["an exit code is probably a crash", [[1, exit(1)]], "exit", "crash", "likely"],
  ["the code 0 of an unknown mode says nothing", [[1, exit(0)]], "exit", "unknown", "unknown"],
  ["the code 143 of a shell may be SIGTERM", [[1, exit(143)]], "exit", "signal", "likely"],
  ["a signal is certain, its sender unknown", [[1, exit(0, "SIGKILL")]], "exit", "signal", "certain"],
  [
    "a command without another reason came to PM2",
    [
      [1, STOPPING],
      [2, exit(0)],
    ],
    "stop",
    "pm2-cli",
    "likely",
  ],
  [
    "a start right after a stop is a restart",
    [
      [1, STOPPING],
      [2, exit(0)],
      [2, START],
    ],
    "restart",
    "pm2-cli",
    "likely",
  ],
  [
    "the memory limit is certain",
    [
      [1, MEMORY],
      [1, STOPPING],
      [2, exit(0)],
      [2, START],
    ],
    "restart",
    "memory-limit",
    "certain",
  ],
  [
    "a memory limit of long ago is no reason",
    [
      [1, MEMORY],
      [9, STOPPING],
      [9, exit(0)],
    ],
    "stop",
    "pm2-cli",
    "likely",
  ],
  [
    "a changed file is certain",
    [
      [1, "Change detected on path /srv/a b.js for app api - restarting"],
      [1, STOPPING],
      [1, exit(0)],
      [1, START],
    ],
    "restart",
    "watch",
    "certain",
  ],
  [
    "a signal to PM2's daemon stops its processes",
    [
      [1, "pm2 has been killed by signal, dumping process list before exit..."],
      [1, STOPPING],
      [1, exit(0)],
    ],
    "stop",
    "daemon",
    "likely",
  ],
  [
    "a command to a process without a pid does not explain a later crash",
    [
      [1, STOPPING],
      [1, "app=api id=0 does not have a pid"],
      [1, START],
      [5, exit(1)],
    ],
    "exit",
    "crash",
    "likely",
  ],
] as const)("%s", (_title, lines, kind, cause, certainty) => {
  expect(only(...lines).filter((event) => event.kind !== "start")).toMatchObject([{ kind, cause, certainty }]);
});

test("an automatic restart by PM2 is part of the end, not a separate event", () => {
  const events = only([1, exit(1)], [1, "App [api:0] will restart in 5000ms"], [7, START]);
  expect(events).toMatchObject([{ kind: "exit", evidence: [expect.anything(), "PM2 started it again."] }]);
});

test("a reload in a cluster is one restart of the process", () => {
  const events = only(
    [1, "App [api:0] starting in -cluster mode-"],
    [5, "App [api:0] starting in -cluster mode-"],
    [6, "Stopping app:api id:_old_0"],
    [6, "App [api:_old_0] exited with code [0] via signal [SIGINT]"],
  );
  expect(events).toMatchObject([
    { kind: "start" },
    { kind: "restart", pmId: 0, cause: "pm2-cli", certainty: "likely" },
  ]);
});

test("a daemon that starts twice without a stop died in between", () => {
  const started = "--- New PM2 Daemon started ------------------------------------------------------";
  expect(only([1, started], [9, started])[1]?.evidence[1]).toContain("killed");
  expect(only([1, started], [5, "PM2 successfully stopped"], [9, started])[2]?.evidence).toHaveLength(1);
});

test("pm2 kill is the probable reason for the stops immediately before it", () => {
  const events = only([1, STOPPING], [1, exit(0)], [2, "PM2 successfully stopped"]);
  expect(events).toMatchObject([{ kind: "stop", cause: "daemon", certainty: "likely" }, { kind: "daemon" }]);
});

test("a name with brackets and spaces is read completely, and lines of other programs are ignored", () => {
  expect(logEntry(`${second(1)}: PM2 log: App [a b]:c [1:12] exited with code [0] via signal [SIGTERM]`)).toMatchObject(
    {
      name: "a b]:c [1",
      pmId: 12,
    },
  );
  for (const line of [
    exit(1),
    `${second(1)}: PM2 log: said ${exit(1)}`,
    `${second(1)}: PM2 log: ${exit(1)} and more`,
    "\u0000",
    "",
  ]) {
    expect(logEntry(line)).toBeUndefined();
  }
});

test("a password in the path of a changed file is hidden", () => {
  const [event] = only(
    [1, "Change detected on path redis://u:hunter2@h for app api - restarting"],
    [1, STOPPING],
    [1, exit(0)],
  );
  expect(JSON.stringify(event)).not.toContain("hunter2");
});

const restart = (more: Partial<AuditRecord> = {}): AuditRecord => ({
  id: "1",
  timestamp: new Date(Date.parse(second(3)) + 500).toISOString(),
  action: "process.restart",
  processes: [{ name: "api", pmId: 0, pm2Home: HOME }],
  source: "cli",
  actor: "deploy",
  outcome: "succeeded",
  ms: 1500,
  ...more,
});
const ORDERED = [
  [2, STOPPING],
  [3, exit(0)],
  [3, START],
] as const;

test.each([
  ["an earlier second", restart()],
  ["the same second", restart({ ms: 400 })],
])("a restart that svcm recorded is certain if it began in %s", (_when, record) => {
  expect(attributeEvents(logOf(...ORDERED), [record], HOME)).toMatchObject([
    { kind: "restart", cause: "svcm", certainty: "certain", actor: "deploy (cli)" },
  ]);
});

test.each([
  ["nothing had to be done for a process", restart({ code: "PROCESS_ALREADY_STOPPED" as never })],
  ["it failed", restart({ outcome: "failed" })],
  [
    "it was interrupted",
    restart({ outcome: "started", ms: undefined, timestamp: new Date(Date.parse(second(2))).toISOString() }),
  ],
])("a restart that svcm recorded is only likely if %s", (_case, record) => {
  expect(attributeEvents(logOf(...ORDERED), [record], HOME)).toMatchObject([{ cause: "svcm", certainty: "likely" }]);
});

test("a run that svcm began explains its start, and no later stop or restart", () => {
  const events = logOf([2, START], [3, STOPPING], [4, exit(0)], [4, START]);
  const run = restart({ action: "process.run", timestamp: new Date(Date.parse(second(9))).toISOString(), ms: 7500 });
  expect(attributeEvents(events, [run], HOME).map(({ kind, cause }) => `${kind} ${cause}`)).toEqual([
    "restart pm2-cli",
    "start svcm",
  ]);
});

test("two ends during one action are both only likely", () => {
  const twice = logOf([2, STOPPING], [3, exit(0)], [3, START], [3, STOPPING], [3, exit(0)], [3, START]);
  expect(attributeEvents(twice, [restart()], HOME).map(({ certainty }) => certainty)).toEqual(["likely", "likely"]);
});

test.each([
  ["of another PM2", restart({ processes: [{ name: "api", pmId: 0, pm2Home: "/root/.pm2" }] })],
  ["of another process", restart({ processes: [{ name: "web", pmId: 0, pm2Home: HOME }] })],
  ["that was refused", restart({ outcome: "refused" })],
])("an action %s explains no end", (_case, record) => {
  const end = attributeEvents(logOf(...ORDERED), [record], HOME).find(({ app }) => app === "api");
  expect(end).toMatchObject({ cause: "pm2-cli", certainty: "likely" });
});

test("a crash during svcm's action stays a crash", () => {
  const events = attributeEvents(logOf([3, exit(1)]), [restart()], HOME);
  expect(events.find(({ kind }) => kind === "exit")).toMatchObject({ cause: "crash", certainty: "likely" });
});

test("the pages contain every event once, and later events do not move them", () => {
  const lines = Array.from({ length: 7 }, (_, index) => [1 + Math.floor(index / 4), exit(index + 1)] as const);
  const events = joined(logOf(...lines), [], HOME);
  const first = paginateEvents(events, 3, undefined);
  const later = joined(logOf(...lines, [9, exit(9)]), [], HOME);
  const middle = paginateEvents(later, 3, first.next ?? undefined);
  const third = paginateEvents(later, 3, middle.next ?? undefined);
  const codes = [first, middle, third].flatMap((page) => page.events.map(({ exitCode }) => exitCode));
  expect(codes).toEqual([7, 6, 5, 4, 3, 2, 1]);
  expect(third.next).toBeNull();
});

test("a reload of a process whose start is not in the log is one restart", () => {
  const events = only(
    [5, "App [api:0] starting in -cluster mode-"],
    [6, "Stopping app:api id:_old_0"],
    [6, "App [api:_old_0] exited with code [0] via signal [SIGINT]"],
  );
  expect(events).toMatchObject([{ kind: "restart", pmId: 0 }]);
});

test("an exit that PM2 ignores, because another process has the number, is left out", () => {
  const lines = [
    [1, START],
    [2, exit(1)],
    [2, "App [api:0] stale exit event ignored (pid 7)"],
  ] as const;
  expect(only(...lines)).toMatchObject([{ kind: "start" }]);
});

test.each([
  [9, "It had run for 8 s."],
  [59, "It had run for 58 s."],
])("an unexpected end at second %i shows how long the process had run", (at, words) => {
  expect(only([1, START], [at, exit(1)])[1]?.evidence).toContain(words);
});
