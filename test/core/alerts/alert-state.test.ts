import { describe, expect, onTestFinished, test } from "vitest";
import type { Condition } from "../../../src/core/alerts/conditions.ts";
import {
  alertMessage,
  createAlerting,
  readHoldOffs,
  updateAlerts,
  INITIAL_STATE,
  type AlertReport,
} from "../../../src/core/alerts/alert-state.ts";
import type { AlertMessage } from "../../../src/core/api/alerts.ts";
import { countingPorts, runningRecord } from "../../support/counting-ports.ts";
import { pass } from "../../support/watcher.ts";

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
    const update = updateAlerts(state, conditionsAt(second), second * SECOND, holdOffs);
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

  test("a storm sends ten messages in ten minutes, and the next message counts the rest", () => {
    const many = Array.from({ length: 40 }, (_, at) => offline(`app-${at}`));
    const reports = run(1000, (second) => (second === 1000 ? [...many, offline("late")] : many));
    expect(reports.filter(({ second }) => second === 60)).toHaveLength(10);
    expect(reports.filter(({ second }) => second > 60)).toEqual([]);
    const ended = run(1200, (second) => (second < 700 ? many : []));
    expect(ended.filter(({ state }) => state === "resolved")).toHaveLength(10);
    expect(ended.find(({ state }) => state === "resolved")?.leftOut).toBe(30);
  });
});

test.each([
  ["firing", 0, "ALERT on web-1: not-online. It is not online.", "2030-01-01T11:58:30.000Z"],
  [
    "resolved",
    2,
    "Resolved on web-1: not-online. It is not online. 2 earlier messages were left out.",
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
  const { reports } = updateAlerts(state, [offline()], nowMs, { "not-online": 0 });
  expect(reports).toHaveLength(count);
});

describe("the alerts of a machine", () => {
  const QUIET = { webhook: undefined, webhookSecret: undefined, command: undefined, heartbeat: undefined, rules: {} };

  function alerted(read: () => Promise<unknown>) {
    const world = countingPorts();
    const [problems, rules]: [string[], string[]] = [[], []];
    const sent: string[] = [];
    const send = async (_: unknown, { rule, state }: Pick<AlertMessage, "rule" | "state">) => {
      rules.push(String(rule));
      sent.push(`${state} ${rule}`);
    };
    const notifier = { ...world.ports.notifier, send, sendHeartbeat: async () => undefined };
    const ports = Object.create(world.ports, {
      marks: { value: async () => ({ read }) },
      notifier: { value: notifier },
    }) as typeof world.ports;
    const alerting = createAlerting(ports);
    onTestFinished(() => alerting.stop());
    alerting.start(QUIET, (error) => void problems.push(String(error)));
    return { world, problems, rules, sent };
  }

  test("mutes that cannot be read are reported once, until the reason is another one", async () => {
    let reason = "EACCES";
    const { world, problems } = alerted(() => Promise.reject(new Error(reason)));
    await pass(world, MINUTE);
    expect(problems).toEqual(["Error: EACCES"]);
    reason = "EIO";
    await pass(world, MINUTE);
    expect(problems).toEqual(["Error: EACCES", "Error: EIO"]);
  });

  test.each([
    ["is not muted", "another", 2031, true],
    ["is muted", "api", 2031, false],
    ["was muted until last year", "api", 2029, true],
  ])("an app that %s", async (_, subject, year, isSent) => {
    // The clock of this world begins in 2030.
    const until = new Date(Date.UTC(year, 0, 1)).toISOString();
    const { world, rules } = alerted(async () => [{ subject, mute: { kinds: ["PROCESS_ERRORED"], until } }]);
    world.records = [runningRecord({ name: "api", status: "errored", pid: null })];
    await pass(world, 20 * MINUTE);
    expect(rules.includes("not-online")).toBe(isSent);
  });

  test("an alert is not resolved while PM2 is silent, because nothing is known of its app then", async () => {
    const { world, sent } = alerted(async () => []);
    world.records = [runningRecord({ name: "api", status: "errored", pid: null })];
    await pass(world, 5 * MINUTE);
    expect(sent).toEqual(["firing not-online"]);
    world.records = undefined;
    await pass(world, 5 * MINUTE);
    expect(sent).toEqual(["firing not-online", "firing pm2-away"]);
    world.records = [runningRecord({ name: "api" })];
    await pass(world, 5 * MINUTE);
    expect(sent.slice(2).toSorted()).toEqual(["resolved not-online", "resolved pm2-away"]);
  });
});
