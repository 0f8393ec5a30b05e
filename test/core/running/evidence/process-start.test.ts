/** When and where a process was started, and what is newer than it. */
import { spawn } from "node:child_process";
import {
  mkdirSync,
  readFileSync,
  realpathSync,
  rmdirSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import * as start from "../../../../src/core/running/evidence/process-start.ts";
import type { WalkedEntry } from "../../../../src/core/running/evidence/walk.ts";
import { isLinux } from "../../../support/machine.ts";
import { pause } from "../../../support/pause.ts";
import { temporaryFolder } from "../../../support/temporary-folder.ts";

const GONE = 4_194_305; // above the largest pid
const SINCE = 1_700_000_000_000;

/** A shell that runs a script of that name, whose child sleeps in another folder. */
async function script(name: string, ...args: string[]) {
  const folder = realpathSync(temporaryFolder());
  mkdirSync(join(folder, "below"));
  writeFileSync(join(folder, name), "(cd below && exec sleep 1000000) &\necho\nwait\n");
  const child = spawn("sh", [`./${name}`, ...args], { cwd: folder, stdio: ["ignore", "pipe", "ignore"] });
  const pid = child.pid ?? 0;
  await new Promise((resolve) => child.stdout.once("data", resolve));
  const [below = 0] = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ").map(Number);
  // The shell first runs its copy.
  while (!readFileSync(`/proc/${below}/cmdline`, "utf8").startsWith("sleep")) await pause();
  onTestFinished(() => void [below, pid].map((one) => process.kill(one, "SIGKILL")));
  return { folder, pid, below };
}

const codeOf = (pid: number) => ({ pmId: 0, pid, startedAt: 5, versioning: { revision: "a", isDirty: false } });

test.runIf(isLinux)("a process has the boot and the start of the kernel, and the earlier of both times counts", () => {
  const clock = new start.StartClock();
  const { sinceMs, identity, isClockSet } = clock.readStart(process.pid, Date.now() + 60_000);
  expect(identity).toEqual({
    bootId: readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim(),
    startTicks: readFileSync("/proc/self/stat", "utf8").split(") ")[1]?.split(" ")[19],
  });
  expect([isClockSet, sinceMs < Date.now()]).toEqual([true, true]);
  const byKernel = sinceMs + 20;
  expect(clock.readStart(process.pid, byKernel - 1900)).toMatchObject({ isClockSet: false, sinceMs: byKernel - 1920 });
  expect(clock.readStart(process.pid, byKernel - 2100)).toMatchObject({ isClockSet: true, sinceMs: byKernel - 2120 });
  expect(clock.readStart(GONE, 1000)).toEqual({ isClockSet: false, sinceMs: 980, identity: undefined });
});

test.runIf(isLinux)("the code that runs is that of the process below a watcher, if there is one", async () => {
  const clock = new start.StartClock();
  const watcher = await script("nodemon", "server.js");
  const found = clock.runningCode(codeOf(watcher.pid));
  expect(found).toMatchObject({ pmId: 0, pid: watcher.below, versioning: null });
  expect(Math.abs(found.startedAt - Date.now())).toBeLessThan(60_000);
  const plain = await script("server", "--watch");
  expect(clock.runningCode(codeOf(plain.pid))).toEqual(codeOf(plain.pid));
  expect(clock.runningCode(codeOf(GONE))).toEqual(codeOf(GONE));
});

test.runIf(isLinux).each([
  ["uvicorn", ["--reload"], true],
  ["flask", ["--debug"], true],
  ["uvicorn", ["main:app"], false],
  ["tsx", ["watch", "a.ts"], true],
  ["tsx", ["a.ts", "watch"], false],
  ["ts-node-dev.js", [], true],
  ["nodemon.ts", [], false],
])("%s %j watches: %s", async (name, args, expected) => {
  const { pid, below } = await script(name, ...args);
  expect(new start.StartClock().runningCode(codeOf(pid)).pid).toBe(expected ? below : pid);
});

test.runIf(isLinux)(
  "a wrapper works in its folder and in those of what it started; a deleted one does not count",
  async () => {
    const { folder, pid, below } = await script("start");
    expect(start.readFoldersBelow(pid)).toEqual([folder, join(folder, "below")]);
    expect(start.readFoldersBelow(pid, false)).toEqual([folder]);
    expect(start.readFoldersBelow(GONE)).toEqual([]);
    expect(start.readFolderOf(GONE)).toEqual({ cwd: null, isDeleted: false });
    rmdirSync(join(folder, "below"));
    expect(start.readFolderOf(below)).toEqual({ cwd: join(folder, "below"), isDeleted: true });
    expect(start.readFoldersBelow(pid)).toEqual([folder]);
  },
);

const entry = (path: string, changedMs: number, more: Partial<WalkedEntry> = {}): WalkedEntry => {
  const kind = path === "" || path.endsWith("/") ? "folder" : "file";
  const own = { path: path.replace(/\/$/, ""), absolute: path, size: 1, ino: 1, isOutside: false };
  return { ...own, kind, modifiedMs: changedMs, changedMs, bornMs: 0, ...more };
};
interface Looked {
  readonly isClockSet?: boolean;
  readonly hasGit?: boolean;
  readonly seen?: readonly string[];
}
function newer(entries: readonly WalkedEntry[], { isClockSet = false, hasGit = true, seen }: Looked = {}): string[] {
  const rules = { named: new Set<string>(), others: new Set<string>(), scriptFolder: "", include: [], exclude: [] };
  const unit = { rules, walk: { entries, problem: null, venvs: [] } };
  const known = seen && new Map(seen.map((path) => [path, "1"]));
  const all = start.newerEntries({ sinceMs: SINCE, isClockSet, identity: undefined }, { unit, hasGit, seen: known });
  return all.map(({ path }) => path);
}

test("code that changed after the start is newer, and all of it is if the clock was set", () => {
  const files = [entry("a.js", SINCE + 1), entry("b.js", SINCE), entry("a.log", SINCE + 1)];
  expect(newer(files)).toEqual(["a.js"]);
  expect(newer(files, { isClockSet: true })).toEqual(["a.js", "b.js"]);
  expect(newer(files, { seen: ["a.js"] })).toEqual([]);
});

test("a newer folder may lack code, unless all that was seen in it is still there", () => {
  const folders = [
    entry("lib/", SINCE + 9000),
    entry("old/", SINCE),
    entry("logs/", SINCE + 9000),
    entry("uploads/", SINCE + 9000),
  ];
  expect(newer(folders)).toEqual(["lib", "uploads"]);
  expect(newer(folders, { hasGit: false })).toEqual(["lib"]);
  expect(newer(folders, { seen: [] })).toEqual([]);
});

test.each([
  ["a log that was created in that moment", entry("app.log", SINCE + 500, { bornMs: SINCE + 480 }), []],
  ["data that was renamed when it was complete", entry("out.log", SINCE + 519, { bornMs: SINCE + 1 }), []],
  ["a log of another moment", entry("app.log", SINCE + 521, { bornMs: SINCE + 479 }), [""]],
  ["a log that existed before", entry("app.log", SINCE + 500, { bornMs: SINCE }), [""]],
  ["a folder of logs", entry("logs/", SINCE + 900, { bornMs: SINCE + 500 }), []],
  ["a folder of code", entry("lib/", SINCE, { bornMs: SINCE + 500 }), [""]],
  ["code", entry("a.js", SINCE, { bornMs: SINCE + 500 }), [""]],
  ["a log in a folder below", entry("deep/app.log", SINCE, { bornMs: SINCE + 500 }), [""]],
])("within two seconds of the start, %s explains a newer folder", (_what, other, expected) => {
  const hidden = new Set(["lib", "logs"]);
  const shown = newer([entry("", SINCE + 500), other]).filter((path) => !hidden.has(path) && path !== "a.js");
  expect(shown).toEqual(expected);
});

test("two seconds after the start, nothing explains a newer folder", () => {
  const born = (ms: number) => [entry("", SINCE + ms), entry("app.log", SINCE + ms, { bornMs: SINCE + ms })];
  expect([newer(born(2000)), newer(born(2001))]).toEqual([[], [""]]);
});

test("a link that was written after a time has moved, also on the way to where another link leads", () => {
  const folder = realpathSync(temporaryFolder());
  mkdirSync(join(folder, "releases/1"), { recursive: true });
  symlinkSync("releases/1", join(folder, "current"));
  symlinkSync("current", join(folder, "app"));
  const app = join(folder, "app/server.js");
  expect(start.movedLinks(app, 0)).toEqual([join(folder, "app")]);
  expect(start.movedLinks(app, Date.now() + 1000)).toEqual([]);
  expect(start.movedLinks(join(folder, "releases/1"), 0)).toEqual([]);
  expect(start.movedLinks(app, 0, join(folder, "app"))).toEqual([]);
  expect(start.movedLinks(join(folder, "none/server.js"), 0)).toEqual([]);
  symlinkSync("round", join(folder, "round"));
  expect(start.movedLinks(join(folder, "round"), Date.now() + 1000)).toEqual([]);
});

test("a link is moved if one to which it leads is", async () => {
  const folder = realpathSync(temporaryFolder());
  mkdirSync(join(folder, "1"));
  symlinkSync("current", join(folder, "app"));
  const sinceMs = Date.now() + 20;
  while (Date.now() < sinceMs + 20) await pause();
  symlinkSync("1", join(folder, "current"));
  expect(start.movedLinks(join(folder, "app"), sinceMs)).toEqual([join(folder, "app")]);
});

test("times of change decide, and a path that is not there is never newer", () => {
  const folder = temporaryFolder();
  const [above, own, file] = [join(folder, "a"), join(folder, "a/b"), join(folder, "a/b/c.js")];
  mkdirSync(own, { recursive: true });
  writeFileSync(file, "1");
  const { ctimeMs } = statSync(file);
  expect([start.isNewer(file, ctimeMs - 1), start.isNewer(file, ctimeMs), start.isNewer(`${file}x`, 0)]).toEqual([
    true,
    false,
    false,
  ]);
  expect(start.mayLackSettings({ settingsFolders: [own] }, 0)).toBe(true);
  expect(start.mayLackSettings({ settingsFolders: [own] }, Date.now() + 1000)).toBe(false);
  expect([start.wasExchanged(own, 0), start.wasExchanged(own, Date.now() + 1000)]).toEqual([true, false]);
  expect(start.wasExchanged(above, statSync(folder).ctimeMs)).toBe(false);
  expect([start.wasWritten(file, ctimeMs - 1000), start.wasWritten(null, 0), start.wasWritten(`${file}x`, 0)]).toEqual([
    true,
    false,
    false,
  ]);
  // A copy with an old time was not written, though its time of change is new.
  utimesSync(file, 1e9, 1e9);
  expect(start.wasWritten(file, ctimeMs - 1000)).toBe(false);
});
