/** The part of `pm2.log` that a question needs, however long the log is. */
import { chownSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Pm2LogQuery } from "../../../src/core/logs/port-logs.ts";
import { nodeProcessLogs } from "../../../src/core/logs/process-logs.node.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const NOON = new Date(2026, 10, 22, 12).getTime();
const HOUR = 3_600_000;
const stamp = (atMs: number): string => {
  const at = new Date(atMs - new Date(atMs).getTimezoneOffset() * 60_000);
  return at.toISOString().slice(0, 19);
};
const starts = (atMs: number, id: number): string =>
  `${stamp(atMs)}: PM2 log: App [api:${id}] starting in -fork mode-\n`;
/** More than svcm reads in one step. */
const filler = (atMs: number): string => `${stamp(atMs)}: PM2 log: ${"x".repeat(100)}\n`.repeat(700);

async function read(text: string, query: Partial<Pm2LogQuery> = {}) {
  const home = temporaryFolder();
  writeFileSync(join(home, "pm2.log"), text);
  const part = await nodeProcessLogs(home).readPm2Log({ sinceMs: NOON, ...query });
  return { ...part, entries: part.entries.flatMap((entry) => ("pmId" in entry ? entry.pmId : [])) };
}

const whole = { isComplete: true, isTruncated: false };

test.each<[string, string, Partial<Pm2LogQuery>, object]>([
  [
    "from its time on",
    starts(NOON - 1000, 1) + starts(NOON, 2) + starts(NOON + 1000, 3),
    {},
    { entries: [2, 3], ...whole },
  ],
  ["of a log without entries", "words\n", {}, { entries: [], ...whole }],
  [
    "of a log with old entries in between, after a clock was set back for a while",
    starts(NOON, 1) + filler(NOON) + starts(NOON - HOUR, 2) + starts(NOON + 1000, 3),
    {},
    { entries: [1, 3], ...whole },
  ],
  [
    "but not behind a step of old ones",
    starts(NOON, 1) + filler(NOON) + starts(NOON - HOUR, 2) + filler(NOON) + starts(NOON + 1000, 3),
    {},
    { entries: [3], ...whole },
  ],
  [
    "up to a number of entries",
    starts(NOON, 1) + filler(NOON) + starts(NOON, 2) + starts(NOON, 3),
    { limit: { entries: 1, upToMs: NOON } },
    { entries: [2, 3], isComplete: true, isTruncated: true },
  ],
  [
    "of which newer ones do not count",
    starts(NOON, 1) + filler(NOON) + starts(NOON, 2) + starts(NOON + 1000, 3),
    { limit: { entries: 1, upToMs: NOON } },
    { entries: [1, 2, 3], ...whole },
  ],
  ["of a log with a word", starts(NOON, 1), { required: [/\[api:1\]/] }, { entries: [1], ...whole }],
  ["of a log without it", starts(NOON, 1), { required: [/\[api:1\]/, /\[api:2\]/] }, { entries: [], ...whole }],
])("the entries %s", async (_what, text, query, expected) => {
  expect(await read(text, query)).toEqual(expected);
});

test("a log reaches back to its first line with a time, and a home may lack a log", async () => {
  const home = temporaryFolder();
  const logs = nodeProcessLogs(home);
  expect(await logs.readCoverage()).toEqual({ exists: false, fromMs: null });
  expect(await logs.readPm2Log({ sinceMs: 0 })).toEqual({ entries: [], ...whole });
  writeFileSync(join(home, "pm2.log"), `words\n${starts(NOON, 1)}${starts(NOON - HOUR, 2)}`);
  expect(await logs.readCoverage()).toEqual({ exists: true, fromMs: NOON });
  expect([await logs.contains(/\[api:2\]/), await logs.contains(/\[api:3\]/)]).toEqual([true, false]);
});

test("an error log at a path of the app is read wherever it lies, and neither a link nor another user's file", async () => {
  const [home, cwd, outside] = [temporaryFolder(), temporaryFolder(), temporaryFolder()];
  for (const folder of [cwd, outside]) writeFileSync(join(folder, "error.txt"), "Error: gone\n");
  symlinkSync(join(outside, "error.txt"), join(cwd, "link.txt"));
  const linesOf = async (error: string | null) => {
    const log = { name: "api", pmId: 0, logFiles: { error, out: null } };
    const tail = await nodeProcessLogs(home)
      .readErrorTail(log)
      .catch(() => undefined);
    return tail?.lines.join();
  };
  expect(await linesOf(join(cwd, "error.txt"))).toContain("Error: gone");
  expect(await linesOf(join(outside, "error.txt"))).toContain("Error: gone");
  expect(await linesOf(join(cwd, "link.txt"))).toBeUndefined();
  expect(await linesOf(null)).toBeUndefined();
  if (process.getuid?.() !== 0) return;
  chownSync(join(outside, "error.txt"), 1234, 1234);
  expect(await linesOf(join(outside, "error.txt"))).toBeUndefined();
});
