import { appendFileSync, mkdirSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { nodeLogCare } from "../../../../src/core/logs/care/log-care.node.ts";
import type { CutWay } from "../../../../src/core/api/names.ts";
import type { SurveyedLog } from "../../../../src/core/logs/care/log-care.ts";
import { commandLine, start } from "../../../support/child.ts";
import { sampleOrAll } from "../../../support/runs.ts";
import { onDisk, temporaryFolder } from "../../../support/temporary-folder.ts";

const KIB = 1024;
const NOW = Date.parse("2026-11-27T08:00:00Z");

function stage() {
  const folder = temporaryFolder(undefined, onDisk());
  const home = join(folder, "home");
  mkdirSync(home);
  const path = join(folder, "api-out.log");
  const care = nodeLogCare({ pm2Home: home, folders: [folder], nowMs: () => NOW });
  const log = (): SurveyedLog => {
    const { dev, ino, size: bytes, mtimeMs: modifiedMs } = statSync(path);
    const facts = { app: "api", stream: "out", rotated: [], writers: [], watchedBy: [], earlier: null } as const;
    return { path, dev, ino, bytes, modifiedMs, ...facts, problem: null, isUnfinished: false };
  };
  const rotate = (way: CutWay = "collapse", more: object = {}) =>
    care.rotate(log(), { way, maxBytes: 100 * KIB, keep: 100, compress: true, ...more });
  const names = (): string[] => readdirSync(folder).filter((name) => name.startsWith("api"));
  return { folder, home, path, care, rotate, names, all: () => linesOf(folder, names()) };
}

function linesOf(folder: string, names: readonly string[]): string[] {
  const rotated = names.filter((name) => name !== "api-out.log").toSorted();
  return [...rotated, "api-out.log"].flatMap((name) => {
    const bytes = readFileSync(join(folder, name));
    const text = (name.endsWith(".gz") ? gunzipSync(bytes) : bytes).toString();
    return text.split("\n").filter((line) => line !== "");
  });
}

/** Lines of several lengths, so that a cut divides one. */
const numbered = (from: number, to: number): string[] =>
  Array.from({ length: to - from }, (_, at) => `line ${from + at} ${"x".repeat((from + at) % 150)}`);

const { way } = await nodeLogCare({ pm2Home: "/", folders: [], nowMs: () => NOW }).wayAt(join(onDisk(), "x.log"));
/** tmpfs cannot cut off in place. */
const isAble = way === "collapse";

test.skipIf(!isAble)("the head is cut off in place: no line is lost or doubled, and the newest stay", async () => {
  const { path, rotate, names, all, folder } = stage();
  const lines = numbered(0, 5000);
  writeFileSync(path, `${lines.join("\n")}\n`, { mode: 0o640 });
  utimesSync(path, 1000, 2000);
  const { ino } = statSync(path);
  const { files, bytes } = await rotate();
  expect(all()).toEqual(lines);
  expect(statSync(path)).toMatchObject({ ino, mtimeMs: 2_000_000 });
  expect(statSync(path).size).toBeLessThan(100 * KIB);
  expect(statSync(path).size).toBeGreaterThan(40 * KIB);
  expect(files.length).toBeGreaterThan(2);
  expect(bytes % 4096).toBe(0);
  expect(names().toSorted()).toEqual(["api-out.log", ...files.map((file) => `${file}.gz`)]);
  expect(statSync(join(folder, `${files[0]}.gz`)).mode & 0o777).toBe(0o640);
});

test("where the file system cannot cut, the log is copied and emptied", async () => {
  const { path, rotate, names, all } = stage();
  const lines = numbered(0, 2000);
  writeFileSync(path, `${lines.join("\n")}\n`);
  const { files } = await rotate("truncate");
  expect(statSync(path).size).toBe(0);
  expect(all()).toEqual(lines);
  expect(names()).toHaveLength(files.length + 1);
});

test.skipIf(!isAble)("a small log, and one line without an end, stay as they are", async () => {
  const { path, rotate, names } = stage();
  writeFileSync(path, "short\n");
  expect(await rotate()).toMatchObject({ files: [], bytes: 0 });
  writeFileSync(path, "x".repeat(300 * KIB));
  expect(await rotate()).toMatchObject({ files: [], bytes: 0 });
  expect(names()).toEqual(["api-out.log"]);
});

test.skipIf(!isAble)("only the newest rotated files of svcm are kept, and none of another tool goes", async () => {
  const { folder, path, rotate, names } = stage();
  writeFileSync(join(folder, "api-out.log.1"), "of logrotate\n");
  writeFileSync(path, `${numbered(0, 8000).join("\n")}\n`);
  const { files, removed } = await rotate("collapse", { keep: 2, compress: false });
  expect(names().toSorted()).toEqual(["api-out.log", "api-out.log.1", ...files.slice(-2)].toSorted());
  expect(removed).toEqual(files.slice(0, -2));
});

const STEPS = ["planned", "copied", "saved", "cut", "blanked", "named", "packed", "unpacked gone", "cleared", "kept"];
const TRUNCATING_STEPS = STEPS.filter((step) => step !== "blanked");

const collapsing = STEPS.map((step, at) => ["collapse", step, at + 1] as const);
const truncating = TRUNCATING_STEPS.map((step, at) => ["truncate", step, at + 1] as const);

/** An ordinary run kills each step in one of the two ways. */
test.for([
  ...(isAble
    ? sampleOrAll(
        collapsing,
        collapsing.filter((_, at) => at % 2 === 0),
      )
    : []),
  ...sampleOrAll(
    truncating,
    truncating.filter((_, at) => at % 2 === 1),
  ),
])("%s: killed after the step %s, the next run loses and doubles no line", async ([how, step, number]) => {
  const { home, path, rotate, all, names } = stage();
  const before = numbered(0, 2000);
  writeFileSync(path, `${before.join("\n")}\n`);
  const child = start(commandLine("rotate-and-die", path, home, String(number), how));
  expect((await child.rest()).at(-1)).toBe(step);
  expect((await child.ended).signal).toBe("SIGKILL");
  const after = numbered(2000, 2100);
  appendFileSync(path, `${after.join("\n")}\n`);
  await rotate(how);
  expect(all()).toEqual([...before, ...after]);
  expect(names().filter((name) => /copying|tmp/.test(name))).toEqual([]);
  expect(readdirSync(join(home, "svcm/log-care")).filter((name) => name !== "sizes.json")).toEqual([]);
});
