import { expect, test } from "vitest";
import {
  countedEnd,
  type CountedRecord,
  type CountedWitnesses,
  noEndSentence,
} from "../../../src/core/events/counted-ends.ts";
import { endWithDaemon, withoutDaemon } from "../../../src/core/events/log-state.ts";
import { NOT_RUN_YET } from "../../../src/core/running/finite-state.ts";
import { stateSentences } from "../../../src/core/events/operations/process-show.ts";

const BEGAN = Date.parse("2026-11-22T22:45:00Z");
const STARTED = Date.parse("2026-11-22T22:47:00Z");
const record = (more: Partial<CountedRecord> = {}): CountedRecord => ({
  name: "api",
  pmId: 0,
  pid: 9,
  status: "online",
  execMode: "fork",
  restartCount: 2,
  exitCode: 7,
  createdAt: BEGAN,
  lastStartAt: STARTED,
  declaration: { settings: {} },
  ...more,
});
const witnesses = (more: Partial<CountedWitnesses> = {}): CountedWitnesses => ({
  logged: [],
  coverage: { exists: false, fromMs: null },
  tail: undefined,
  audit: [],
  kernel: {},
  pm2Home: "/h",
  ...more,
});
const restart = {
  id: "1",
  timestamp: new Date(STARTED + 1000).toISOString(),
  action: "process.restart",
  source: "cli",
  outcome: "succeeded",
  ms: 2000,
  processes: [{ name: "api", pmId: 0, pm2Home: "/h" }],
} as const;
const errors = { lines: ["Error: x"], writtenMs: STARTED + 300 };

test.each([
  ["an exit code", record(), {}, { cause: "crash", certainty: "likely", exitCode: 7 }],
  [
    "svcm's restart",
    record({ exitCode: null, createdAt: STARTED - 200 }),
    { audit: [restart] },
    { cause: "svcm", certainty: "certain", kind: "restart" },
  ],
  [
    "an end after svcm's restart",
    record({ createdAt: STARTED - 60_000 }),
    { audit: [restart] },
    { cause: "crash", certainty: "likely" },
  ],
  ["fresh errors", record({ exitCode: null }), { tail: errors }, { cause: "crash", certainty: "likely" }],
  ["no code in fork mode", record({ exitCode: null }), {}, { cause: "unknown", certainty: "unknown" }],
  [
    "no code in a cluster that PM2 restarted",
    record({ exitCode: null, execMode: "cluster" }),
    {},
    { cause: "crash", certainty: "likely" },
  ],
  [
    "a kill by the kernel at that time",
    record({ exitCode: null }),
    { kernel: { logged: [{ atMs: STARTED, pid: 3 }] } },
    { cause: "oom-kill", certainty: "likely" },
  ],
] as const)("without pm2.log, %s explains the end", (_title, listed, more, expected) => {
  expect(countedEnd(listed, witnesses(more))).toMatchObject(expected);
});

test("the counter is shown with the code and the last requested start", () => {
  const evidence = countedEnd(record(), witnesses())?.evidence.join(" ");
  expect(evidence).toContain(
    "PM2's list counts 2 restarts; the last end had exit code 7. Its last requested start was at 2026-11-22T22:45:00Z.",
  );
  expect(evidence).toContain("There is no pm2.log, as under pm2-runtime");
});

test("an end that pm2.log has, and a process that never ended, have no counted end", () => {
  const logged = {
    at: new Date(STARTED).toISOString(),
    app: "api",
    pmId: 0,
    kind: "exit",
    cause: "crash",
    certainty: "likely",
    evidence: [],
  } as const;
  expect(countedEnd(record(), witnesses({ logged: [logged] }))).toBeUndefined();
  expect(countedEnd(record({ restartCount: 0, exitCode: null }), witnesses())).toBeUndefined();
});

const quiet = record({ restartCount: 0, exitCode: null });

test.each([
  [
    { exists: true, fromMs: BEGAN - 1000 },
    /^No end since 2026-11-22T22:44:59Z: pm2\.log shows none, and PM2's list counts no restart\.$/,
  ],
  [
    { exists: true, fromMs: STARTED },
    /^No end is known since its last start at .+ pm2\.log has nothing before 2026-11-22T22:47:00Z\.$/,
  ],
  [{ exists: true, fromMs: null }, /`pm2 flush` empties it\.$/],
  [{ exists: false, fromMs: null }, /no pm2\.log, as under pm2-runtime/],
])("no end is said only as far as the log reaches: %j", (coverage, expected) => {
  expect(noEndSentence("api", [quiet], { coverage, sinceMs: 0, isListKnown: true })).toMatch(expected);
});

test("a killed daemon is named with one command back, and only for an app that it saved", () => {
  const traces = { pid: 5, savedNames: ["api", "worker"], signMs: STARTED };
  expect(endWithDaemon(traces, { name: "api", pmId: 0 })).toMatchObject({ cause: "daemon", certainty: "likely" });
  expect(endWithDaemon({ ...traces, pid: null }, { name: "api", pmId: 0 })).toBeUndefined();
  expect(withoutDaemon(traces, "api")).toBe("No PM2 daemon runs. To bring back api, worker: svcm boot restore");
  expect(withoutDaemon({ ...traces, savedNames: [] }, "api")).toContain("svcm apply");
});

test("a process that PM2 does not start again is named with the command that does", () => {
  expect(stateSentences("api", [{ name: "given up", reason: null }])).toEqual([
    "Now: given up. PM2 does not start it again; svcm restart api does.",
  ]);
  expect(stateSentences("seed", [{ name: "failed", reason: "with exit code 3" }])).toEqual([
    "Now: failed with exit code 3. PM2 does not run it by itself; svcm run seed does.",
  ]);
  expect(stateSentences("seed", [{ name: "ended", reason: NOT_RUN_YET }])).toEqual([
    "Now: ended, it has not run yet. PM2 does not run it by itself; svcm run seed does.",
  ]);
  expect(stateSentences("seed", [{ name: "ended", reason: null }])).toEqual(["Now: ended."]);
});

test.each([
  [true, /^pm2\.log shows no end of api since .+, and PM2 does not list api\.$/],
  [false, /^pm2\.log shows no end of api since .+, and PM2's list could not be read\.$/],
])("without a process, the list of PM2 is known: %s", (isListKnown, expected) => {
  const coverage = { exists: true, fromMs: 0 };
  expect(noEndSentence("api", [], { coverage, sinceMs: 0, isListKnown })).toMatch(expected);
});
