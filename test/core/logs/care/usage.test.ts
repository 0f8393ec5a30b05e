import { expect, test } from "vitest";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { lastFullDisk } from "../../../../src/core/logs/care/look.node.ts";
import { temporaryFolder } from "../../../support/temporary-folder.ts";
import { usageOf } from "../../../../src/core/logs/care/usage.ts";
import { planPrune, refusalOf } from "../../../../src/core/logs/care/prune.ts";
import {
  type LogSurvey,
  type SurveyedLog,
  addSizes,
  earlierSize,
  formatSizes,
  logrotatePatterns,
  matchesGlob,
  parseSizes,
  subtractCut,
} from "../../../../src/core/logs/care/log-care.ts";

const MIB = 2 ** 20;
const GIB = 2 ** 30;
const HOUR = 3_600_000;
const NOW = Date.parse("2026-11-27T08:00:00Z");

const log = (more: Partial<SurveyedLog> = {}): SurveyedLog => ({
  path: "/home/deploy/.pm2/logs/api-out.log",
  app: "api",
  stream: "out",
  dev: 1,
  ino: 1,
  bytes: 10 * MIB,
  modifiedMs: NOW,
  rotated: [],
  writers: [],
  watchedBy: [],
  earlier: null,
  problem: null,
  isUnfinished: false,
  ...more,
});

const survey = (logs: readonly SurveyedLog[], more: Partial<LogSurvey> = {}): LogSurvey => ({
  atMs: NOW,
  home: "/home/deploy/.pm2",
  logs,
  deleted: [],
  disks: new Map([[1, { path: "/", availableBytes: 10 * GIB, totalBytes: 20 * GIB }]]),
  hasPm2Logrotate: false,
  logrotate: [],
  areWritersHidden: false,
  isHomeOfOther: false,
  fullDiskMs: null,
  ...more,
});

const diskWith = (availableBytes: number): LogSurvey["disks"] =>
  new Map([[1, { path: "/", availableBytes, totalBytes: 20 * GIB }]]);

const settings = { maxBytes: 50 * MIB, keep: 10, compress: true };
const growing = (bytesPerHour: number): SurveyedLog["earlier"] => ({
  atMs: NOW - HOUR,
  bytes: 10 * MIB - bytesPerHour,
});
const codesOf = (all: LogSurvey, declared?: typeof settings): string[] =>
  usageOf(all, declared).issues.map(({ code }) => code);

test("the growth and the time until the disk is full come from logs that nothing rotates", () => {
  const both = survey([log({ earlier: growing(GIB) }), log({ path: "/p/b.log", earlier: growing(GIB / 4) })]);
  const { logs, disks, issues } = usageOf(both, undefined);
  expect(logs.map(({ bytesPerHour }) => bytesPerHour)).toEqual([GIB, GIB / 4]);
  expect(disks).toMatchObject([{ bytesPerHour: 1.25 * GIB, fullInHours: 8, unknownLogs: 0 }]);
  expect(issues).toMatchObject([
    {
      code: "LOG_DISK_FULL_SOON",
      message: "/ is full in about 8 hours: logs grow by 1.3 GiB an hour, and 10.0 GiB are free",
    },
  ]);
  expect(usageOf(both, settings).disks[0]).toMatchObject({ bytesPerHour: null, fullInHours: null });
});

test("a growth that svcm has not seen is unknown, not zero", () => {
  const { logs, disks } = usageOf(survey([log(), log({ path: "/p/b.log", earlier: growing(0) })]), undefined);
  expect(logs.map(({ bytesPerHour }) => bytesPerHour)).toEqual([null, 0]);
  expect(disks[0]).toMatchObject({ unknownLogs: 1, fullInHours: null });
});

test("a declared rotation that nothing runs is a finding, and does not count for the disk", () => {
  const large = survey([log({ bytes: 100 * MIB, earlier: { atMs: NOW - HOUR, bytes: 0 } })]);
  expect(codesOf(large, settings)).toEqual(["LOG_ROTATION_IDLE"]);
  expect(usageOf(large, settings).disks[0]?.bytesPerHour).toBe(100 * MIB);
  expect(codesOf(survey([log({ bytes: 100 * MIB - 1 })]), settings)).toEqual([]);
});

test.for([
  ["a large log without rotation", survey([log({ bytes: 100 * MIB })]), ["LOG_NOT_ROTATED"]],
  ["one below the limit", survey([log({ bytes: 100 * MIB - 1 })]), []],
  ["pm2-logrotate", survey([log({ bytes: GIB })], { hasPm2Logrotate: true }), []],
  [
    "pm2-logrotate, for an app that PM2 does not list",
    survey([log({ bytes: GIB, app: null })], { hasPm2Logrotate: true }),
    ["LOG_NOT_ROTATED"],
  ],
  [
    "two tools",
    survey([log()], {
      hasPm2Logrotate: true,
      logrotate: [{ file: "/etc/logrotate.d/pm2", patterns: ["/home/*/.pm2/logs/*.log"] }],
    }),
    ["LOG_ROTATED_TWICE"],
  ],
  ["a deleted log", survey([log()], { deleted: [{ path: "/p/a.log", pid: 7, bytes: MIB }] }), ["LOG_DELETED_OPEN"]],
  ["a disk that was full", survey([log()], { fullDiskMs: NOW }), ["LOG_DEAD"]],
  ["a full disk", survey([log()], { disks: diskWith(4095) }), ["LOG_DISK_FULL"]],
  ["a disk with one free block", survey([log()], { disks: diskWith(4096) }), []],
] as const)("findings: %s", ([_name, all, codes]) => {
  expect(codesOf(all)).toEqual(codes);
});

test.for([
  [{ isHomeOfOther: true }, {}, "LOG_HOME_OF_OTHER_USER"],
  [{ hasPm2Logrotate: true }, {}, "LOG_ROTATED_ELSEWHERE"],
  [
    { logrotate: [{ file: "/etc/logrotate.conf", patterns: ["/home/deploy/.pm2/logs/*"] }] },
    {},
    "LOG_ROTATED_ELSEWHERE",
  ],
  [{ areWritersHidden: true }, {}, "LOG_HOLDERS_UNKNOWN"],
  [{}, { watchedBy: ["api"] }, "LOG_FOLDER_WATCHED"],
  [{}, { writers: [{ pid: 7, program: "rsyslogd", isAppending: false }] }, "LOG_HELD_WITHOUT_APPEND"],
  [{}, { writers: [{ pid: 7, program: "node", isAppending: true }] }, undefined],
] as const)("%o %o is refused as %s", ([more, ofLog, code]) => {
  const all = survey([log(ofLog)], more);
  expect(refusalOf(all.logs[0]!, all)?.code).toBe(code);
});

test("the sizes of two looks, at least a minute apart, give the growth; a cut does not make it smaller", () => {
  const at = (bytes: number, ino = 1) => ({ path: "/p/a.log", ino, bytes });
  const first = addSizes(new Map(), [at(100)], 0);
  expect(earlierSize(first, at(200), 59_999)).toBeNull();
  expect(earlierSize(first, at(200), 60_000)).toEqual({ atMs: 0, bytes: 100 });
  expect(earlierSize(first, at(99), 60_000)).toBeNull();
  expect(earlierSize(first, at(200, 2), 60_000)).toBeNull();
  expect(earlierSize(subtractCut(first, "/p/a.log", 80), at(40), 60_000)).toEqual({ atMs: 0, bytes: 20 });
  const later = addSizes(addSizes(first, [at(300)], HOUR), [at(500)], 2 * HOUR);
  expect(earlierSize(later, at(500), 2 * HOUR)).toEqual({ atMs: HOUR, bytes: 300 });
  expect(parseSizes(formatSizes(later))).toEqual(later);
  expect(parseSizes("{")).toEqual(new Map());
});

test("pruning takes the oldest rotated files of svcm, then heads, until there is enough", () => {
  const rotated = (stamp: string, isOwn = true) => ({ path: `/p/a.log.${stamp}`, bytes: MIB, isOwn });
  const files = [rotated("20261127T080001Z-00.gz"), rotated("20261126T080001Z-00.gz"), rotated("1", false)];
  const all = survey([log({ rotated: files }), log({ path: "/p/pm2.log", app: null, stream: null, bytes: 30 * MIB })]);
  const paths = (options: object) => {
    const plan = planPrune(all, options);
    return [...plan.files.map(({ path }) => path), ...plan.heads.map(({ path }) => path)];
  };
  const [newer, older] = files.map(({ path }) => path);
  expect(paths({})).toEqual([older, newer]);
  expect(paths({ freeBytes: MIB })).toEqual([older]);
  expect(paths({ freeBytes: MIB + 1, heads: true })).toEqual([older, newer]);
  expect(paths({ heads: true })).toEqual([older, newer, "/p/pm2.log", "/home/deploy/.pm2/logs/api-out.log"]);
  expect(planPrune(survey([log({ app: null, stream: null, bytes: 9 * MIB - 1 })]), { heads: true }).heads).toEqual([]);
});

const CONFIG = `# global
weekly
include /etc/logrotate.d

"/srv/my app/logs/*.log" /home/*/.pm2/logs/*.log {
  daily
  postrotate
    kill -USR2 $(cat /root/.pm2/pm2.pid)
  endscript
}
/root/.pm2/pm2.log
{
  size 10M
}
/var/log/one { weekly }
`;

test("the paths of logrotate's files, in all of its forms", () => {
  expect(logrotatePatterns(CONFIG)).toEqual([
    "/srv/my app/logs/*.log",
    "/home/*/.pm2/logs/*.log",
    "/root/.pm2/pm2.log",
    "/var/log/one",
  ]);
  expect(matchesGlob("/home/*/.pm2/logs/*.log", "/home/deploy/.pm2/logs/api-out.log")).toBe(true);
  expect(matchesGlob("/home/*/.pm2/*.log", "/home/deploy/.pm2/logs/api-out.log")).toBe(false);
  expect(matchesGlob("/p/[!a]?(x).log", "/p/bc(x).log")).toBe(true);
});

test.each([
  [72 * GIB, "LOG_DISK_FULL_SOON"],
  [72.2 * GIB, undefined],
])("a disk with %i bytes free, of which logs take a GiB an hour: %s", (availableBytes, code) => {
  expect(codesOf(survey([log({ earlier: growing(GIB) })], { disks: diskWith(availableBytes) }))).toEqual(
    code === undefined ? [] : [code],
  );
});

test("the head of a log that svcm would not rotate is not cut either", () => {
  const problem = { code: "LOG_NOT_OWNED", details: "It belongs to another user." } as never;
  const all = survey([log({ bytes: 30 * MIB, problem }), log({ path: "/p/b.log", bytes: 20 * MIB })]);
  expect(planPrune(all, { heads: true }).heads.map(({ path }) => path)).toEqual(["/p/b.log"]);
});

test.each([
  ["Error: ENOSPC: no space left on device, write", true],
  ["Error: ENOSPC: System limit for number of file watchers reached, watch '/srv/app'", false],
  ["  code: 'ENOSPC',", false],
])("PM2's log says that the disk was full with the line %s: %s", async (line, isFull) => {
  const path = join(temporaryFolder(), "pm2.log");
  writeFileSync(
    path,
    `2026-11-27T08:00:00: PM2 log: PM2 successfully stopped\n2026-11-27T09:00:00: PM2 error: ${line}\n`,
  );
  expect((await lastFullDisk(path)) !== null).toBe(isFull);
});
