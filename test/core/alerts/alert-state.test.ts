import { describe, expect, test } from "vitest";
import { parseAlertRecord, reportedAlerts, restoredState } from "../../../src/core/alerts/alert-record.ts";
import type { Condition } from "../../../src/core/alerts/conditions.ts";
import {
  alertMessage,
  readHoldOffs,
  updateAlerts,
  INITIAL_STATE,
  type AlertReport,
} from "../../../src/core/alerts/alert-state.ts";

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const HOLD_OFFS = readHoldOffs({ rules: {} });

const offline = (subject = "api", kind = "errored"): Condition => ({
  rule: "not-online",
  subject,
  app: subject,
  kind,
  details: "It is not online.",
});

/** Checks the conditions every ten seconds, and returns the reports with their second. */
function run(seconds: number, conditionsAt: (second: number) => readonly Condition[], holdOffs = HOLD_OFFS) {
  let state = INITIAL_STATE;
  const reports: (AlertReport & { readonly second: number })[] = [];
  for (let second = 0; second <= seconds; second += 10) {
    const update = updateAlerts(state, conditionsAt(second), second * SECOND, { holdOffs });
    state = update.state;
    reports.push(...update.reports.map((report) => ({ ...report, second })));
  }
  return reports;
}

const facts = ({ second, state, subject }: AlertReport & { readonly second: number }) =>
  `${second} ${state} ${subject}`;

describe("an alert", () => {
  test("is reported once its condition has held for the hold-off, and once when it has ended", () => {
    const reports = run(600, (second) => (second >= 100 && second < 300 ? [offline()] : []));
    expect(reports.map(facts)).toEqual(["160 firing api", "360 resolved api"]);
    expect(reports.map(({ sinceMs }) => sinceMs)).toEqual([100 * SECOND, 100 * SECOND]);
  });

  test("is not reported if the condition is shorter than the hold-off, however often it returns", () => {
    expect(run(3600, (second) => (second % 60 < 50 ? [offline()] : []))).toEqual([]);
  });

  test("is one alert while its condition comes and goes within a minute", () => {
    const reports = run(1200, (second) => (second < 100 || second % 50 < 20 ? [offline()] : []));
    expect(reports.map(facts)).toEqual(["60 firing api"]);
  });

  test("is repeated after six hours", () => {
    const reports = run(13 * 3600, () => [offline()]);
    expect(reports.map(({ second }) => second)).toEqual([60, 60 + 6 * 3600, 60 + 12 * 3600]);
  });

  test("is never reported if its rule is off, and a rule has its own hold-off", () => {
    const holdOffs = readHoldOffs({ rules: { "not-online": "off", disk: "2h" } });
    expect(holdOffs).toEqual({
      "crash-loop": 0,
      job: 0,
      "memory-growth": 30 * MINUTE,
      disk: 2 * HOUR,
      drift: 15 * MINUTE,
      "pm2-away": MINUTE,
      boot: 60 * MINUTE,
    });
    expect(run(600, () => [offline()], holdOffs)).toEqual([]);
  });

  test("a storm sends ten messages in ten minutes, and the others wait", () => {
    const many = Array.from({ length: 24 }, (_, at) => offline(`app-${at}`));
    const reports = run(2000, () => many);
    expect(reports.map(({ second }) => second)).toEqual([
      ...Array<number>(10).fill(60),
      ...Array<number>(10).fill(660),
      ...Array<number>(4).fill(1260),
    ]);
    expect(new Set(reports.map(({ subject }) => subject)).size).toBe(24);
    expect(reports.filter(({ leftOut }) => leftOut > 0)).toEqual([]);
  });

  test("after a storm, each alert that was sent is resolved, and the next message counts those that were not", () => {
    const many = Array.from({ length: 12 }, (_, at) => offline(`app-${at}`));
    const reports = run(2000, (second) => (second < 300 ? many : []));
    const [firing, resolved] = (["firing", "resolved"] as const).map((state) =>
      reports.filter((report) => report.state === state).map(({ subject }) => subject),
    );
    expect(firing).toHaveLength(10);
    expect(resolved).toEqual(firing);
    expect(reports.map(({ leftOut }) => leftOut)).toEqual([
      ...Array<number>(10).fill(0),
      2,
      ...Array<number>(9).fill(0),
    ]);
  });

  test("that waits to be resolved goes on if its condition returns", () => {
    const many = Array.from({ length: 10 }, (_, at) => offline(`app-${at}`));
    const reports = run(1500, (second) => (second < 300 || second > 500 ? many : []));
    expect(reports.map(({ state }) => state)).toEqual(Array<string>(10).fill("firing"));
  });

  test("is not over while nothing shows whether it is", () => {
    let state = INITIAL_STATE;
    const at = (second: number, conditions: readonly Condition[], isUndecided: boolean): string[] => {
      const rules = { holdOffs: HOLD_OFFS, isUndecided: () => isUndecided };
      const update = updateAlerts(state, conditions, second * SECOND, rules);
      ({ state } = update);
      return update.reports.map((report) => report.state);
    };
    expect(at(0, [offline()], false)).toEqual([]);
    expect(at(60, [offline()], false)).toEqual(["firing"]);
    expect(at(70, [], false)).toEqual([]);
    expect(at(200, [], true)).toEqual([]);
    expect(at(210, [], false)).toEqual([]);
    expect(at(270, [], false)).toEqual(["resolved"]);
  });
});

test.each([
  ["firing", 0, "ALERT on web-1: not-online. It is not online.", "2030-01-01T11:58:30.000Z"],
  [
    "resolved",
    2,
    "Resolved on web-1: not-online. No longer so: It is not online. 2 earlier messages were left out.",
    "2030-01-01T11:58:30.000Z",
  ],
] as const)("a message of an alert that is %s has its text and times", (state, leftOut, text, since) => {
  const ports = {
    clock: { now: () => Date.UTC(2030, 0, 1, 12), elapsed: () => 100 * SECOND },
    host: { name: () => "web-1" },
    workspace: { root: "/srv/app" },
  };
  const report = { ...offline(), state, leftOut, sinceMs: 10 * SECOND };
  expect(alertMessage(ports as never, report)).toMatchObject({ text, at: "2030-01-01T12:00:00.000Z", since, leftOut });
});

test.each([
  [10 * MINUTE - 1, 0],
  [10 * MINUTE, 1],
])("after ten messages, the next one may be sent after %i ms: %i", (nowMs, count) => {
  const state = { ...INITIAL_STATE, sentMs: Array<number>(10).fill(0) };
  const { reports } = updateAlerts(state, [offline()], nowMs, { holdOffs: { "not-online": 0 } });
  expect(reports).toHaveLength(count);
});

describe("an alert that outlives the server", () => {
  const at = (elapsedMs: number, movedMs = 0) => ({ nowMs: Date.UTC(2030, 0, 1) + elapsedMs + movedMs, elapsedMs });
  const [reported, early] = [offline(), offline("worker")];
  const active = new Map([
    ["api", { condition: reported, sinceMs: 10 * MINUTE, reportedMs: 11 * MINUTE, clearedMs: 12 * MINUTE }],
    ["worker", { condition: early, sinceMs: 14 * MINUTE, reportedMs: undefined, clearedMs: undefined }],
  ]);
  const kept = reportedAlerts({ ...INITIAL_STATE, active }, at(15 * MINUTE));
  const restored = (later: ReturnType<typeof at>, holdOffs = HOLD_OFFS, from = kept) =>
    [...restoredState({ reported: from }, later, holdOffs).active.values()].map(({ sinceMs, reportedMs }) => [
      sinceMs,
      reportedMs,
    ]);

  test("is kept with its times if it was reported", () => {
    const times = { since: "2030-01-01T00:10:00.000Z", at: "2030-01-01T00:11:00.000Z" };
    expect(kept).toEqual([{ ...reported, ...times }]);
  });

  test("has the same distance from the present after a restart, and never one from the future", () => {
    expect(restored({ ...at(20 * MINUTE), elapsedMs: 5 * MINUTE })).toEqual([[-5 * MINUTE, -4 * MINUTE]]);
    expect(restored(at(20 * MINUTE, -HOUR))).toEqual([[20 * MINUTE, 20 * MINUTE]]);
    const damaged = kept.map((one) => ({ ...one, since: "yesterday" }));
    expect(restored(at(20 * MINUTE), HOLD_OFFS, damaged)).toEqual([[20 * MINUTE, 11 * MINUTE]]);
  });

  test("is forgotten if its rule is off now", () => {
    expect(restored(at(20 * MINUTE), readHoldOffs({ rules: { "not-online": "off" } }))).toEqual([]);
  });

  test("is read from the file that was written, and a damaged file names itself", () => {
    const record = { version: 1 as const, host: "web-1", pm2Home: "/pm2", reported: kept, unsent: [] };
    expect(parseAlertRecord(JSON.stringify(record), "alerts.json")).toEqual(record);
    expect(parseAlertRecord(undefined, "alerts.json")).toBeUndefined();
    expect(() => parseAlertRecord("{", "alerts.json")).toThrow("alerts.json is not a file of svcm's alerts");
  });
});
