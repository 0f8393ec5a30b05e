import type { AuditRecord } from "../../../src/core/api/audit-record.ts";
import type { LastEnd } from "../../../src/core/running/facts.ts";
import { describe, expect, test } from "vitest";
import type { LogEntry } from "../../../src/core/logs/log-line.ts";
import { attributeStop, logFacts } from "../../../src/core/running/log-facts.ts";
import { processState } from "../../../src/core/running/state.ts";
import { record } from "../../support/process-record.ts";

const NOW = Date.UTC(2030, 0, 1, 12);
const HOUR = 3_600_000;
const api = { name: "api", pmId: 0, isOld: false };
const start = (ageMs: number): LogEntry => ({ type: "start", mode: "fork", ...api, atMs: NOW - ageMs });
const exit = (ageMs: number): LogEntry => ({ type: "exit", code: 1, signal: "SIGINT", ...api, atMs: NOW - ageMs });
const stopping = (ageMs: number): LogEntry => ({ type: "stopping", ...api, atMs: NOW - ageMs });
const crashes = [start(9000), exit(8000), start(8000), exit(7000), start(7000), exit(6000), start(6000), exit(5000)];
const online = { status: "online", pid: 7, restartCount: 5, exitCode: 1 };

function state(entries: readonly LogEntry[], createdAgeMs: number | null, runMs = 1000) {
  const [createdAt, lastStartAt] = [createdAgeMs === null ? null : NOW - createdAgeMs, NOW - runMs];
  const one = record({ ...online, createdAt, lastStartAt, startedAt: lastStartAt });
  const facts = logFacts(entries, one, NOW);
  return processState(one, { epochMs: NOW, missingFolders: new Set(), facts }).name;
}

// PM2 logs no stop of a process that it lists as stopped, as between an end and the next start.
test.each<[string, string, readonly LogEntry[], number | null, number?]>([
  ["crash loop", "it keeps ending since its last requested start", [...crashes, start(1000)], 9000],
  ["crash loop", "PM2 5 does not say when it was created", [...crashes, start(1000)], null],
  ["online", "it was restarted on request between two ends", [...crashes, start(1000)], 1500],
  [
    "online",
    "the former processes of reloads ended",
    crashes.map((entry) => ({ ...entry, isOld: entry.type === "exit" })),
    9000,
  ],
  ["online", "the restart took long", [...crashes, start(1000)], 4900, 100],
  ["online", "it was stopped and started", [...crashes, stopping(4000), start(1000)], 9000],
  [
    "crash loop",
    "it keeps ending after the restart, too",
    [...crashes, start(4000), exit(3000), start(3000), exit(2000), start(2000), exit(1000), start(1000)],
    4500,
  ],
])("%s: %s", (expected, _what, entries, createdAgeMs, runMs) => {
  expect(state(entries, createdAgeMs, runMs)).toBe(expected);
  const elsewhere = entries.map((entry) => ({ ...entry, atMs: entry.atMs + 5 * HOUR }));
  expect(state(elsewhere, createdAgeMs, runMs)).toBe(expected);
});

test("a restart that took longer than usual is not a crash loop if PM2's log has no end since", () => {
  expect(state([...crashes, start(1000)], 7000 - 1, 1000)).toBe("online");
  const one = record({ ...online, createdAt: NOW - 9000, lastStartAt: NOW - 1000, startedAt: NOW - 1000 });
  const without = logFacts([], one, NOW);
  expect(processState(one, { epochMs: NOW, missingFolders: new Set(), facts: without }).name).toBe("crash loop");
});

describe("a service that its schedule restarts each minute", () => {
  const cron = (ageMs: number): LogEntry => ({ type: "cron", pmId: 0, isOld: false, atMs: NOW - ageMs });
  const minute = (ageMs: number): LogEntry[] => [cron(ageMs), stopping(ageMs), exit(ageMs), start(ageMs)];
  const stateOf = (entries: readonly LogEntry[], runMs: number, cronRestart = "* * * * *") => {
    const lastStartAt = NOW - runMs;
    const one = record({ ...online, cronRestart, createdAt: NOW - 60_000 + 300, lastStartAt, startedAt: lastStartAt });
    const facts = logFacts(entries, one, NOW);
    const { name, problem, isBrief } = processState(one, { epochMs: NOW, missingFolders: new Set(), facts });
    return [name, problem?.details, isBrief];
  };
  const crash = (ageMs: number): LogEntry[] => [exit(ageMs), start(ageMs)];
  const old = [start(300_000), ...minute(240_000), ...crash(200_000), ...minute(180_000), ...crash(150_000)];
  const looping = [...old, ...minute(120_000), ...crash(90_000), ...minute(60_000), ...crash(5000)];

  test("and that ends in between is in a crash loop", () => {
    const details = "It ended by itself 4 times in the last 15 minutes with exit code 1.";
    expect(stateOf(looping, 5000)).toEqual(["crash loop", details, false]);
  });

  test("and that has run well since is in none, although its last start is recent", () => {
    const healed = [start(700_000), ...crash(690_000), ...crash(680_000), ...crash(670_000)];
    const since = [600_000, 300_000, 60_000].flatMap((ageMs) => minute(ageMs));
    expect(stateOf([...healed, ...since], 60_000)).toEqual(["online", undefined, undefined]);
  });

  test("and that a command has restarted begins again", () => {
    const [requested, run] = [30_000, 4000];
    const entries = [
      ...looping,
      cron(requested),
      stopping(requested),
      exit(requested),
      start(requested),
      ...crash(run),
    ];
    expect(stateOf(entries, run)).toEqual(["online", undefined, undefined]);
    expect(stateOf(looping, 5000, "0 3 * * *")).toEqual(["online", undefined, undefined]);
  });
});

describe("an app that writes into a folder that PM2 watches", () => {
  const watch = (ageMs: number): LogEntry => ({ type: "watch", name: "api", path: "logs/err.log", atMs: NOW - ageMs });
  const restarts = (count: number, everyMs: number): LogEntry[] =>
    Array.from({ length: count }, (_, index) => (count - index) * everyMs).flatMap((ageMs) => [
      watch(ageMs),
      stopping(ageMs),
      exit(ageMs),
      start(ageMs),
    ]);
  const stateOf = (entries: readonly LogEntry[], status: string) => {
    const one = record({ status, pid: status === "stopped" ? null : 7, lastStartAt: NOW - 100, startedAt: NOW - 100 });
    const { name, problem } = processState(one, {
      epochMs: NOW,
      missingFolders: new Set(),
      facts: logFacts(entries, one, NOW),
    });
    return [name, problem?.code];
  };

  test.each(["online", "stopping", "stopped"])("never settles, while PM2 shows it as %s", (status) => {
    expect(stateOf(restarts(10, 3000), status)).toEqual(["crash loop", "PROCESS_WATCH_LOOP"]);
  });

  test("has a problem and runs, if the restarts are slower or fewer", () => {
    for (const entries of [restarts(9, 300), restarts(10, 3001)])
      expect(stateOf(entries, "online")).toEqual(["online", "PROCESS_WATCH_LOOP"]);
  });

  test("is stopped after a command stopped it", () => {
    expect(stateOf([...restarts(12, 300), stopping(50), exit(50)], "stopped")[0]).toBe("stopped");
  });
});

describe("the user who stopped a process", () => {
  const stoppedMs = Date.parse("2026-11-27T10:00:00.000Z");
  const at = (ms: number): string => new Date(stoppedMs + ms).toISOString();
  const audited = (action: string, ms: number, more: Partial<AuditRecord> = {}): AuditRecord => ({
    id: "1",
    timestamp: at(ms),
    action,
    processes: [{ name: "api", pmId: 1, pm2Home: "/pm2" }],
    source: "cli",
    actor: "ada",
    outcome: "succeeded",
    ...more,
  });
  const process = { name: "api", pmId: 1, lastStartAt: stoppedMs - 600_000 };
  const end = (stop: LastEnd["stop"]): LastEnd => ({ stop, signal: "SIGINT", code: 0 });
  const foreign = end({ atMs: stoppedMs, actor: null, isSvcm: false });
  const byAda = (atMs: number) => ({ atMs, actor: "ada", isSvcm: true });

  test.each<[string, LastEnd | undefined, AuditRecord[], LastEnd | undefined]>([
    ["a stop by svcm", foreign, [audited("process.stop", 500)], end(byAda(stoppedMs))],
    [
      "one that the log does not have",
      undefined,
      [audited("process.stop", 0)],
      { stop: byAda(stoppedMs), signal: null, code: null },
    ],
    ["at the limit", foreign, [audited("process.stop", 60_000)], end(byAda(stoppedMs))],
    ["beyond the limit", foreign, [audited("process.stop", 60_001)], foreign],
    ["an end by itself", end(null), [audited("process.stop", 500)], end(null)],
    [
      "a stop that a later action followed",
      foreign,
      [audited("process.start", 700), audited("process.stop", 500)],
      end(null),
    ],
    [
      "a second stop, of the stopped process",
      foreign,
      [
        audited("process.stop", 3_600_000, { code: "ALREADY_STOPPED", actor: "bob" }),
        audited("process.stop", 5000, { code: "ALREADY_STOPPED", actor: "bob" }),
        audited("process.stop", 500),
      ],
      end(byAda(stoppedMs)),
    ],
    [
      "a start that failed much later",
      foreign,
      [audited("process.start", 3_600_000, { outcome: "failed" }), audited("process.stop", 500)],
      end(byAda(stoppedMs)),
    ],
    ["an action at the limit", foreign, [audited("process.restart", 0, { ms: 0, timestamp: at(1000) })], end(null)],
    ["an action that began later", foreign, [audited("process.restart", 0, { ms: 0, timestamp: at(1001) })], foreign],
    ["an action that was over in the same second", foreign, [audited("process.restart", 0)], end(null)],
    ["an action that was over before", foreign, [audited("process.restart", -1)], foreign],
    [
      "an action that was cut off long before",
      foreign,
      [audited("process.restart", -60_000, { outcome: "started" })],
      end(null),
    ],
    [
      "an action that was cut off longer before",
      foreign,
      [audited("process.restart", -60_001, { outcome: "started" })],
      foreign,
    ],
    ["during a run that svcm began", foreign, [audited("process.run", 700)], foreign],
    [
      "by svcm during its run",
      foreign,
      [audited("process.run", 700), audited("process.stop", 0)],
      end(byAda(stoppedMs)),
    ],
    ["a refused stop", foreign, [audited("process.stop", 500, { outcome: "refused" })], foreign],
    ["a stop before its last start", foreign, [audited("process.stop", -600_001)], foreign],
    [
      "a stop of its namesake",
      foreign,
      [audited("process.stop", 0, { processes: [{ name: "api", pmId: 2, pm2Home: "" }] })],
      foreign,
    ],
    [
      "a stop of another app",
      foreign,
      [audited("process.stop", 0, { processes: [{ name: "web", pmId: 1, pm2Home: "" }] })],
      foreign,
    ],
    ["no record", foreign, [], foreign],
  ])("%s", (_name, last, records, expected) => {
    expect(attributeStop(process, last, records)).toEqual(expected);
  });
});
