import { expect, test } from "vitest";
import { isFailing } from "../../../src/core/running/symptoms.ts";
import { isInPlace, processState } from "../../../src/core/running/state.ts";
import type { ProcessRecord } from "../../../src/core/pm2/process-record.ts";
import { record } from "../../support/process-record.ts";

const NOW = 1_000_000;
const online = { status: "online", pid: 7 };
const run = (ageMs: number, runMs: number): Partial<ProcessRecord> => ({
  ...online,
  createdAt: NOW - ageMs,
  lastStartAt: NOW - runMs,
  startedAt: NOW - runMs,
});
const declared = (settings: object): Partial<ProcessRecord> => ({
  declaration: { argsDigest: "", interpreterArgsDigest: "", environment: {}, settings },
});

/** From PM2's log: ends without a request, oldest first. */
const ended = (...agesMs: number[]): readonly number[] => agesMs.map((ageMs) => NOW - ageMs);

test.each<[boolean, string, Partial<ProcessRecord>, (readonly number[])?]>([
  [true, "PM2 has given up", { status: "errored" }],
  [true, "PM2 waits before its next start", { status: "waiting restart", pid: 7 }],
  [true, "PM2 starts it again in a moment", { status: "stopped", pid: 7 }],
  [true, "PM2 calls it online, and it has no pid", { status: "online", pid: null }],
  [true, "it ended soon after two starts", { ...run(1000, 200), unstableRestarts: 2, restartCount: 2 }],
  [
    true,
    "it ends after a while, again and again",
    { ...run(60_000, 14_000), restartCount: 4 },
    ended(50_000, 30_000, 14_000),
  ],
  [true, "it ends every 40 seconds", { ...run(400_000, 30_000), restartCount: 10 }, ended(110_000, 70_000, 30_000)],
  [
    true,
    "its exit code is 0, as in a cluster",
    { ...run(60_000, 100), restartCount: 9, exitCode: null },
    ended(900, 500, 100),
  ],
  [false, "it was killed now and then", { ...run(900_000, 2000), restartCount: 3 }, ended(400_000, 200_000, 2000)],
  [false, "it stays up after its ends", { ...run(900_000, 21_000), restartCount: 3 }, ended(60_000, 41_000, 21_000)],
  [false, "it runs", { ...run(60_000, 60_000), restartCount: 9 }],
  [false, "a person stopped it", { status: "stopped", pid: null }],
  [false, "a person stopped it, and started it again", { ...run(60_000, 100), restartCount: 9, exitCode: null }, []],
  [false, "it crashed once", { ...run(60_000, 1000), restartCount: 1 }],
  [false, "it recovered from a bad start", { ...run(600_000, 590_000), restartCount: 3, unstableRestarts: 3 }],
  [false, "it was just restarted on request", { ...run(100, 50), restartCount: 40 }],
  [
    false,
    "it took long to end on request",
    { ...run(9000, 50), restartCount: 4, ...declared({ killTimeout: 10_000 }) },
  ],
  [false, "a job has ended", { status: "errored", ...declared({ autorestart: false, cronRestart: "0 3 * * *" }) }],
])("%s: %s", (expected, _what, fields, endsMs) => {
  const stateOf = (one: ProcessRecord) =>
    processState(one, { epochMs: NOW, missingFolders: new Set(), facts: endsMs === undefined ? {} : { endsMs } });
  expect(isFailing(record(fields), NOW, stateOf)).toBe(expected);
  // No step is needed either.
  if (!expected && fields.status === "online") expect(isInPlace(stateOf(record(fields)))).toBe(true);
});
