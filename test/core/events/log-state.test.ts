/** An end of PM2's daemon: its meaning for the processes, and for what a user can do. */
import { describe, expect, test } from "vitest";
import {
  endWithDaemon,
  STARTED_AGAIN,
  wasRunning,
  withLostDaemons,
  withoutDaemon,
} from "../../../src/core/events/log-state.ts";
import { logEvents } from "../../../src/core/events/log-events.ts";
import { logEntry } from "../../../src/core/logs/log-line.ts";
import type { SvcmEvent } from "../../../src/core/api/events.ts";

const AT = Date.parse("2026-11-22T04:42:07.400Z");
const traces = (more: object = {}) => ({ pid: 77, signMs: AT, savedNames: ["api", "web"], ...more }) as never;
const api = { name: "api", pmId: 3 };

describe("the end of a daemon that left no message", () => {
  test("ends each of its processes, after its last sign", () => {
    expect(endWithDaemon(traces(), api)).toMatchObject({
      at: "2026-11-22T04:42:07.000Z",
      bound: "after",
      app: "api",
      pmId: 3,
      kind: "exit",
      cause: "daemon",
      evidence: [expect.stringMatching(/^PM2's daemon, pid 77, ended .* and api ended with it\.$/)],
    });
    expect(endWithDaemon(traces(), { name: "api", pmId: undefined })).not.toHaveProperty("pmId");
  });

  test.each([
    ["no pid is known", { pid: null }],
    ["nothing shows when", { signMs: null }],
    ["the app lives on", { survivors: [{ name: "api", pid: 5 }] }],
  ])("ends none if %s", (_what, more) => {
    expect(endWithDaemon(traces(more), api)).toBeUndefined();
  });

  test("ends an app beside one that lives on", () => {
    expect(endWithDaemon(traces({ survivors: [{ name: "web", pid: 5 }] }), api)).toBeDefined();
  });
});

test.each([
  [{}, "api", "No PM2 daemon runs. To bring back api, web: svcm boot restore"],
  [
    { survivors: [{ name: "web", pid: 5 }] },
    "api",
    "No PM2 daemon runs. Without it, web (pid 5) still runs, so a start would run the same app twice. To bring back api, web: kill 5; svcm boot restore",
  ],
  [
    {},
    "job",
    "No PM2 daemon runs. The saved list does not have job, only api, web. To start what is declared: svcm apply",
  ],
  [
    { savedNames: [] },
    "job",
    "No PM2 daemon runs. The saved list does not have job. To start what is declared: svcm apply",
  ],
])("without a daemon, with %j, %s has one way back", (more, name, sentence) => {
  expect(withoutDaemon(traces(more), name)).toBe(sentence);
});

test.each<[string, readonly (readonly [SvcmEvent["kind"], ...string[]])[], boolean]>([
  ["without an event", [], true],
  ["after its start", [["start"]], true],
  ["after a restart", [["restart"], ["exit"]], true],
  ["after its end", [["exit", "It ended."], ["start"]], false],
  ["after its stop", [["stop"]], false],
  ["after an end and a new start in one", [["exit", STARTED_AGAIN]], true],
  ["after an action that follows its end", [["action"], ["write"], ["apply"], ["exit"]], false],
  ["after an action that follows its start", [["action"], ["start"]], true],
  ["after nothing except an apply", [["apply"]], true],
])("a process ran %s: %j is %s", (_when, events, expected) => {
  expect(wasRunning(events.map(([kind, ...evidence]) => ({ kind, evidence })))).toBe(expected);
});

describe("a daemon that PM2's socket does not reach", () => {
  const line = (seconds: number, text: string) =>
    logEntry(`2026-11-22T04:42:${String(seconds).padStart(2, "0")}: PM2 log: ${text}`) ?? [];
  const daemon = (seconds: number) => line(seconds, `${"-".repeat(31)} New PM2 Daemon started ${"-".repeat(31)}`);
  const runs = (seconds: number) => [
    line(seconds, "App [api:0] starting in -fork mode-"),
    line(seconds, "App [api:0] online"),
  ];
  const events = logEvents([daemon(5), runs(6), daemon(20), runs(21), daemon(40)].flat(2));
  const summarise = (pids: readonly number[]) =>
    withLostDaemons(events, pids).map(({ event: { kind, evidence } }) => [kind, ...evidence.slice(0, 2)]);
  const lost = "The previous daemon ended without a message: it was killed, or the machine stopped.";
  const ended = (seconds: string) =>
    `PM2's daemon ended without a message after 2026-11-22T04:42:${seconds}Z, and its processes with it.`;
  const former = [
    ["daemon", "PM2's daemon started."],
    ["start", expect.anything()],
    ["exit", ended("06"), lost],
    ["daemon", "PM2's daemon started.", lost],
    ["start", expect.anything()],
  ];

  test("is lost unless it is known to live", () => {
    expect(summarise([])).toEqual([...former, ["exit", ended("21"), lost], ["daemon", "PM2's daemon started.", lost]]);
  });

  test("lives on beside the newest one, so no process ended with it, and an older one is lost", () => {
    expect(summarise([77])).toEqual([...former, ["daemon", "PM2's daemon started.", expect.stringContaining("77")]]);
    expect(withLostDaemons(logEvents([daemon(5), runs(6)].flat(2)), [77])).toHaveLength(2);
  });
});

describe("a daemon that says that it stops", () => {
  const line = (seconds: number, text: string) =>
    logEntry(`2026-11-22T04:42:${String(seconds).padStart(2, "0")}: PM2 log: ${text}`) ?? [];
  const start = [line(1, "App [api:0] starting in -fork mode-"), line(1, "App [api:0] online")];
  const stop = (seconds: number, id = 0) => [
    line(seconds, `Stopping app:api id:${id}`),
    line(seconds, `App [api:${id}] exited with code [0] via signal [SIGINT]`),
  ];
  const crash = (seconds: number) => [line(seconds, "App [api:1] exited with code [1] via signal [SIGINT]")];
  const end = [line(30, "PM2 successfully stopped")];
  const causes = (...lines: ReturnType<typeof line>[][]) =>
    logEvents(lines.flat(2)).map(({ event: { kind, cause, evidence } }) => [kind, cause, evidence[0]]);
  const STOPPED = ["daemon", "daemon", "PM2's daemon stopped."];
  const WITH = ["stop", "daemon", "PM2's daemon stopped right after it."];
  const BY_COMMAND = "A PM2 command ended it, and svcm's audit log has no record of it.";
  const APART = ["stop", "pm2-cli", BY_COMMAND];

  test("stopped the processes that it stopped in its last ten seconds", () => {
    expect(causes(start, stop(29), end).slice(1)).toEqual([WITH, STOPPED]);
    expect(causes(start, stop(20), stop(21, 1), end).slice(1)).toEqual([WITH, WITH, STOPPED]);
    expect(causes(start, stop(19), end).slice(1)).toEqual([APART, STOPPED]);
  });

  test("did not stop what another end or a changed file parts from its own", () => {
    expect(causes(start, stop(25), crash(27), end).map(([kind, cause]) => `${kind} ${cause}`)).toEqual([
      expect.stringMatching(/^start/),
      "stop pm2-cli",
      "exit crash",
      "daemon daemon",
    ]);
    const watched = [line(28, "Change detected on path a.js for app api - restarting"), ...stop(28)];
    expect(causes(start, [line(27, "Stopping app:api id:1")], stop(27, 1), watched, end).slice(1)).toEqual([
      WITH,
      ["stop", "watch", expect.anything()],
      STOPPED,
    ]);
  });

  test("leaves nothing that a later daemon could have lost", () => {
    const next = [line(40, `${"-".repeat(31)} New PM2 Daemon started ${"-".repeat(31)}`)];
    expect(causes(start, end, next).slice(-2)).toEqual([STOPPED, ["daemon", "daemon", "PM2's daemon started."]]);
    expect(logEvents([start, next].flat(2)).map(({ isOrdered, event: { kind } }) => [kind, isOrdered])).toEqual([
      ["start", true],
      ["exit", false],
      ["daemon", false],
    ]);
  });
});
