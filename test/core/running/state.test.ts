/** Each row of what PM2 shows, and what it means. */
import { describe, expect, test } from "vitest";
import type { ProcessRecord } from "../../../src/core/pm2/process-record.ts";
import type { ProcessFacts } from "../../../src/core/running/facts.ts";
import { countStates, stateText } from "../../../src/core/running/state-text.ts";
import { hasEndedWell, isInPlace, processState, stateDoubt } from "../../../src/core/running/state.ts";
import { record } from "../../support/process-record.ts";

const NOW = Date.UTC(2026, 10, 26, 12);
const HOUR = 3_600_000;

type Settings = ProcessRecord["declaration"]["settings"];

const JOB = { autorestart: false, cronRestart: "digest" } as const;
const TASK = { autorestart: false } as const;
const online = { status: "online", pid: 7, startedAt: NOW - HOUR, lastStartAt: NOW - HOUR, createdAt: NOW - HOUR };
const rest = { status: "stopped", pid: null, startedAt: null, lastStartAt: NOW - HOUR, createdAt: NOW - HOUR };
const schedule = { nextMs: Date.UTC(2026, 10, 27, 2), dueMs: Date.UTC(2026, 10, 27, 2), zone: "Europe/Berlin" };
const ended = { stop: null, signal: "SIGINT", code: 0 };

function state(fields: Partial<ProcessRecord>, settings: Settings = {}, facts: ProcessFacts = {}) {
  const { declaration } = record();
  const found = processState(record({ ...fields, declaration: { ...declaration, settings } }), {
    epochMs: NOW,
    missingFolders: new Set(["/gone"]),
    facts,
  });
  return `${stateText(found)}${found.problem === null ? "" : ` ${found.problem.code}`}${isInPlace(found) ? "" : " !"}`;
}

describe("services", () => {
  test.each<[string, Partial<ProcessRecord>, ProcessFacts, string]>([
    ["runs", online, {}, "online"],
    ["has no pid", { ...online, pid: null }, {}, "missing, no pid PROCESS_WITHOUT_PID !"],
    [
      "has no folder and no pid",
      { ...online, pid: null, cwd: "/gone" },
      {},
      "missing, no folder PROCESS_FOLDER_MISSING !",
    ],
    ["runs without its folder", { ...online, cwd: "/gone" }, {}, "online PROCESS_FOLDER_MISSING"],
    ["is launched", { ...online, status: "launching" }, {}, "starting"],
    ["is stopped", rest, {}, "stopped !"],
    ["ended a moment ago", { ...rest, pid: 7 }, {}, "starting"],
    ["waits for its next start", { ...rest, status: "waiting restart", pid: 7 }, {}, "starting"],
    [
      "is given up with a delay",
      { ...rest, status: "waiting restart", createdAt: null },
      {},
      "given up PROCESS_ERRORED !",
    ],
    ["is errored", { ...rest, status: "errored" }, {}, "errored PROCESS_ERRORED !"],
    ["hangs", online, { hung: "3 connections wait." }, "hung PROCESS_HUNG !"],
    ["has not loaded", online, { notLoaded: "Nothing listens." }, "not loaded PROCESS_NOT_LOADED !"],
    ["has a status of another PM2", { ...online, status: "dreaming" }, {}, "unknown, PM2 shows it as dreaming"],
  ])("a service that %s", (_name, fields, facts, expected) => {
    expect(state(fields, {}, facts)).toBe(expected);
  });

  test("a service that svcm may not look into is online, with a doubt", () => {
    const found = processState(record(online), {
      epochMs: NOW,
      missingFolders: new Set(),
      facts: { unseen: "hidden" },
    });
    expect([found.name, stateDoubt(found)]).toEqual(["online", "hidden"]);
    const seen = processState(record(online), { epochMs: NOW, missingFolders: new Set(), facts: {} });
    expect(stateDoubt(seen)).toBeUndefined();
    const young = processState(record({ ...online, status: "launching" }), { epochMs: NOW, missingFolders: new Set() });
    expect(stateDoubt(young)).toBe("it is still starting");
  });

  test.each([
    [
      "ended soon after its start, and runs again",
      1,
      14_999,
      "it ended soon after its start, and has not run for long since",
    ],
    ["has run for long since", 1, 15_001, undefined],
    ["did not end", 0, 1000, undefined],
  ])("one that %s may work or not", (_, unstableRestarts, runMs, doubt) => {
    const fields = { ...online, unstableRestarts, lastStartAt: NOW - runMs };
    const found = processState(record(fields), { epochMs: NOW, missingFolders: new Set(), facts: {} });
    expect([found.name, stateDoubt(found)]).toEqual(["online", doubt]);
  });

  test("who stopped it, and since when", () => {
    const stop = { atMs: NOW - HOUR / 2, actor: "alice", isSvcm: true };
    expect(state(rest, {}, { lastEnd: { ...ended, stop } })).toBe("stopped by alice since 11:30 UTC !");
    expect(state(rest, {}, { lastEnd: { ...ended, stop: { ...stop, isSvcm: false } } })).toBe(
      "stopped by a command to PM2 since 11:30 UTC !",
    );
  });

  test("an exit code of stop_exit_codes is an end as declared, and a stop command is not", () => {
    const settings = { stopExitCodes: "digest" };
    expect(state(rest, settings, { lastEnd: ended })).toBe("ended with exit code 0, one of its stop_exit_codes");
    expect(state(rest, settings)).toBe("stopped !");
  });

  test.each<[string, Partial<ProcessRecord>, Settings, boolean, boolean]>([
    ["a task", {}, TASK, true, true],
    ["a task with an exit code", { exitCode: 3 }, TASK, false, false],
    ["a service", {}, {}, false, false],
    ["a new app that PM2 leaves alone", {}, { stopExitCodes: "digest" }, false, true],
    ["one that served before", {}, { stopExitCodes: "digest" }, true, false],
    ["one with another exit code", { exitCode: 42 }, { stopExitCodes: "digest" }, false, false],
    ["one with an exit code of them", { exitCode: 42, isStopCode: true }, { stopExitCodes: "digest" }, false, true],
    ["a task with one of them", { exitCode: 3, isStopCode: true }, TASK, true, true],
    ["one in cluster mode", { execMode: "cluster" }, { stopExitCodes: "digest" }, false, false],
  ])("%s, at rest", (_, fields, settings, wasUp, expected) => {
    const { declaration } = record();
    const at = {
      exitCode: null,
      execMode: "fork",
      ...rest,
      ...fields,
      declaration: { ...declaration, settings },
    } as const;
    expect(hasEndedWell(record(at), wasUp)).toBe(expected);
  });

  test("three ends without a request are a loop in cluster mode, whatever the exit code", () => {
    const run = { ...online, execMode: "cluster", lastStartAt: NOW - 2000, restartCount: 5 } as const;
    const endsMs = [NOW - 30_000, NOW - 20_000, NOW - 10_000];
    expect(state(run, {}, { endsMs })).toBe("crash loop PROCESS_CRASH_LOOP !");
    expect(state(run, {}, { endsMs: endsMs.slice(1) })).toBe("online");
    expect(state({ ...run, lastStartAt: NOW - 120_000 }, {}, { endsMs })).toBe("online");
    expect(state({ ...run, createdAt: NOW - 60_000, unstableRestarts: 4 })).toBe("crash loop PROCESS_CRASH_LOOP !");
  });

  test("restarts by a memory limit or by watch are a problem of a process that runs", () => {
    expect(state(online, {}, { restartLoop: "…", loopCause: "memory-limit" })).toBe("online PROCESS_MEMORY_LOOP");
    expect(state(online, {}, { restartLoop: "…", loopCause: "watch" })).toBe("online PROCESS_WATCH_LOOP");
  });

  test("a process without a pid names the apps whose memory limit PM2 no longer watches", () => {
    const found = processState(record({ ...online, pid: null }), {
      epochMs: NOW,
      missingFolders: new Set(),
      facts: { limitedOthers: ["api", "mail"] },
    });
    expect(found.problem?.details).toContain("PM2 does not watch the memory limit of api, mail.");
  });
});

describe("jobs", () => {
  test.each<[string, Partial<ProcessRecord>, ProcessFacts, string]>([
    [
      "was stopped by a user",
      { ...rest, exitCode: 143 },
      { schedule, lastEnd: { stop: { atMs: NOW, actor: null, isSvcm: false }, signal: null, code: 143 } },
      "waiting, next 03:00 Europe/Berlin",
    ],
    ["waits", rest, { schedule }, "waiting, next 03:00 Europe/Berlin"],
    [
      "waits after a run in a cluster",
      { ...rest, execMode: "cluster" },
      { schedule },
      "waiting, next 03:00 Europe/Berlin",
    ],
    ["has a restart delay", { ...rest, status: "waiting restart" }, { schedule }, "waiting, next 03:00 Europe/Berlin"],
    ["has an unreadable schedule", rest, {}, "waiting"],
    [
      "has a schedule whose day does not exist",
      rest,
      { schedule: { ...schedule, nextMs: null } },
      "waiting, its schedule has no more times",
    ],
    ["failed", { ...rest, exitCode: 3 }, { schedule }, "waiting, next 03:00 Europe/Berlin JOB_FAILED"],
    [
      "was killed",
      rest,
      { schedule, lastEnd: { ...ended, signal: "SIGKILL" } },
      "waiting, next 03:00 Europe/Berlin JOB_FAILED",
    ],
    ["was errored", { ...rest, status: "errored", exitCode: 1 }, {}, "waiting JOB_FAILED"],
    ["failed in a cluster", { ...rest, execMode: "cluster" }, { hasErrorBlock: true }, "waiting JOB_FAILED"],
    [
      "missed its time",
      rest,
      { schedule: { ...schedule, dueMs: NOW - 61_000 } },
      "waiting, next 03:00 Europe/Berlin JOB_MISSED",
    ],
    [
      "is due within the grace",
      rest,
      { schedule: { ...schedule, dueMs: NOW - 59_000 } },
      "waiting, next 03:00 Europe/Berlin",
    ],
    ["runs", online, { schedule }, "running since 2026-11-26T11:00:00.000Z"],
    ["does not end", online, { stuck: "It does nothing." }, "running since 2026-11-26T11:00:00.000Z JOB_STUCK"],
    [
      "runs past its time",
      online,
      { schedule: { ...schedule, dueMs: NOW - 61_000 } },
      "running since 2026-11-26T11:00:00.000Z JOB_STUCK",
    ],
  ])("a job that %s", (_name, fields, facts, expected) => {
    expect(state(fields, JOB, facts)).toBe(expected);
  });

  test("a later day has its date", () => {
    const later = { ...schedule, nextMs: Date.UTC(2026, 11, 1, 2) };
    expect(state(rest, JOB, { schedule: later })).toBe("waiting, next 2026-12-01 03:00 Europe/Berlin");
  });
});

describe("tasks", () => {
  test.each<[string, Partial<ProcessRecord>, ProcessFacts, string]>([
    ["ended", rest, { lastEnd: ended }, "ended"],
    ["failed", { ...rest, exitCode: 1 }, {}, "failed with exit code 1 JOB_FAILED !"],
    ["was killed", rest, { lastEnd: { ...ended, signal: "SIGKILL" } }, "failed by SIGKILL JOB_FAILED !"],
    [
      "ended in a cluster",
      { ...rest, execMode: "cluster" },
      {},
      "unknown, ended; in cluster mode PM2 does not record whether it succeeded",
    ],
    ["runs", online, {}, "online"],
    [
      "was stopped",
      rest,
      { lastEnd: { ...ended, stop: { atMs: NOW, actor: null, isSvcm: false } } },
      "stopped by a command to PM2 since 12:00 UTC !",
    ],
  ])("a task that %s", (_name, fields, facts, expected) => {
    expect(state(fields, TASK, facts)).toBe(expected);
  });
});

test("one counted restart is in the singular", () => {
  const given = (restartCount: number) =>
    processState(record({ ...rest, status: "errored", restartCount }), { epochMs: NOW, missingFolders: new Set() });
  expect(given(1).problem?.details).toMatch(/ PM2 counts 1 restart\.$/);
  expect(given(2).problem?.details).toMatch(/ PM2 counts 2 restarts\.$/);
});

test("states are counted in one sentence", () => {
  expect(countStates([])).toBe("PM2 has no processes.");
  expect(countStates([{ state: "online" }])).toBe("1 process of PM2: 1 online.");
  const mixed = ["online", "waiting", "online"].map((name) => ({ state: name }));
  expect(countStates(mixed)).toBe("3 processes of PM2: 2 online, 1 waiting.");
});
