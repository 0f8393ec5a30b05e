import { expect, test } from "vitest";
import { type RestartObservations, OBSERVED_MS, watchRestarts } from "../../../src/core/running/restarts.ts";
import { processState, type StateContext } from "../../../src/core/running/state.ts";
import type { ProcessRecord } from "../../../src/core/pm2/process-record.ts";
import { record } from "../../support/process-record.ts";

const NOW = Date.UTC(2030, 0, 1);
const MINUTE = 60_000;

function code(fields: Partial<ProcessRecord>, circumstances: Partial<StateContext> = {}): string | undefined {
  const online = { pid: 7, status: "online", startedAt: NOW - 1000, lastStartAt: NOW - 1000, createdAt: NOW - 1000 };
  const context = { epochMs: NOW, missingFolders: new Set<string>(), ...circumstances };
  return processState(record({ ...online, ...fields }), context).problem?.code;
}

/** PM2 keeps the time of the last requested start, and updates the time of the run. */
const crashed = (runMs: number, ageMs: number, restartCount: number): Partial<ProcessRecord> => ({
  exitCode: 1,
  restartCount,
  createdAt: NOW - ageMs,
  startedAt: NOW - runMs,
  lastStartAt: NOW - runMs,
});

test("a running process has no problem", () => {
  expect(code({})).toBeUndefined();
  expect(code({ status: "stopped", pid: null })).toBeUndefined();
});

test("online without a process is a problem, and a missing folder is one", () => {
  expect(code({ pid: null })).toBe("PROCESS_WITHOUT_PID");
  const missingFolders = new Set(["/srv/gone"]);
  expect(code({ cwd: "/srv/gone" }, { missingFolders })).toBe("PROCESS_FOLDER_MISSING");
  expect(code({ cwd: "/srv/gone", pid: null }, { missingFolders })).toBe("PROCESS_FOLDER_MISSING");
  expect(processState(record({ cwd: "/srv/gone" }), { epochMs: NOW, missingFolders }).problem?.details).toContain(
    "/srv/gone",
  );
});

test.each([
  ["every nine seconds for four minutes", crashed(4000, 4 * MINUTE, 26)],
  ["every thirteen seconds for an hour", crashed(12_000, 60 * MINUTE, 274)],
  ["after hundreds of restarts on request", crashed(8000, 4 * MINUTE, 326)],
  ["while it waits for its restart", { ...crashed(9000, MINUTE, 5), status: "waiting restart", startedAt: null }],
  ["with exit code 0 at each end", { ...crashed(4000, 4 * MINUTE, 26), exitCode: 0, unstableRestarts: 3 }],
  ["while it is launched", { ...crashed(2000, MINUTE, 5), status: "launching", startedAt: null }],
])("a crash loop is found in a single list: %s", (_name, fields) => {
  expect(code(fields)).toBe("PROCESS_CRASH_LOOP");
});

test.each([
  ["it runs again for a while", crashed(3 * MINUTE, 10 * MINUTE, 26)],
  ["it crashed once", crashed(3000, MINUTE, 1)],
  ["it crashed now and then", crashed(3000, 24 * 60 * MINUTE, 26)],
  ["it was restarted on request, whatever its exit code was", crashed(4000, 4000 + 1600, 26)],
  ["it ended with exit code 0, and twice soon", { ...crashed(4000, 4 * MINUTE, 26), exitCode: 0, unstableRestarts: 2 }],
  ["it ended well", { ...crashed(4000, 4 * MINUTE, 26), exitCode: 0 }],
  ["it was stopped", { ...crashed(4000, 4 * MINUTE, 26), status: "stopped", pid: null, startedAt: null }],
  ["the clock was set back", crashed(-MINUTE, -2 * MINUTE, 26)],
])("no crash loop: %s", (_name, fields) => {
  expect(code(fields)).toBeUndefined();
});

test("restarts without a request are a loop with any exit code; requested restarts are not", () => {
  const run = (restartCount: number, createdAt: number) => record({ restartCount, createdAt, exitCode: 0 });
  const watched = (steps: readonly (readonly [number, number, number])[]): RestartObservations =>
    steps.reduce<RestartObservations>(
      (before, [atMs, restarts, createdAt]) => watchRestarts(before, [run(restarts, createdAt)], atMs),
      new Map(),
    );
  const own = watched([[0, 10, 1], [9000, 11, 1], [18_000, 12, 1], [27_000, 13, 1]]); // prettier-ignore
  const requested = watched([[0, 10, 1], [9000, 11, 2], [18_000, 12, 3], [27_000, 13, 4]]); // prettier-ignore
  const fields = { exitCode: 0, restartCount: 13 };
  expect(code(fields, { observed: own.get(0) })).toBe("PROCESS_CRASH_LOOP");
  expect(code(fields, { observed: requested.get(0) })).toBeUndefined();
  // The first of the three counts for a quarter of an hour.
  const after = (ms: number) => watchRestarts(own, [run(13, 1)], 9000 + ms).get(0);
  expect(code(fields, { observed: after(OBSERVED_MS) })).toBe("PROCESS_CRASH_LOOP");
  expect(code(fields, { observed: after(OBSERVED_MS + 1) })).toBeUndefined();
  const another = watchRestarts(own, [record({ ...run(14, 1), uniqueId: "another" })], 28_000);
  expect(code(fields, { observed: another.get(0) })).toBeUndefined();
});

test("a server that has just begun names the ends that PM2's log has, and without the log only what is certain", () => {
  const observed = { uniqueId: null, createdAt: 1, restartCount: 120, atMs: [0, 9000, 18_000] };
  const fields = crashed(4000, 20 * MINUTE, 120);
  const online = { pid: 7, status: "online", ...fields };
  const details = (endsMs?: readonly number[]) =>
    processState(record(online), {
      epochMs: NOW,
      missingFolders: new Set(),
      observed,
      ...(endsMs && { facts: { endsMs } }),
    }).problem?.details;
  const logged = Array.from({ length: 96 }, (_, at) => NOW - (96 - at) * 9000);
  expect(details(logged)).toMatch(/ 96 times in the last 15 minutes with exit code 1\.$/);
  expect(details(logged.slice(-2))).toMatch(/ 3 times in the last 15 minutes/);
  expect(details()).toMatch(/ at least 3 times in the last 15 minutes/);
});
