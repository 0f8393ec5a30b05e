/** The files of one app's code, from real folders and without a process. */
import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { CodeRequest } from "../../../../src/core/running/port-running-code.ts";
import { RecordStore } from "../../../../src/core/running/evidence/record-store.ts";
import { readFolder, Unit, withoutNested } from "../../../../src/core/running/evidence/unit.ts";
import { Budget } from "../../../../src/core/running/evidence/walk.ts";
import { temporaryFolder } from "../../../support/temporary-folder.ts";
import { write } from "./scenes.ts";

type Files = Readonly<Record<string, string>>;
interface World {
  readonly root: string;
  readonly budget?: Budget;
  readonly own?: readonly string[];
}

const NOTHING = { app: "shop", folder: undefined, include: [], exclude: [], others: [], processes: [] };

function made(files: Files): string {
  const root = join(temporaryFolder(), "shop");
  write(root, files);
  return root;
}

function unitOf({ root, budget = new Budget(10_000), own = [] }: World, more: Partial<CodeRequest> = {}): Unit {
  const request = { ...NOTHING, cwd: root, script: join(root, "server.js"), ...more };
  const store = new RecordStore(join(root, "../home"));
  return new Unit(request, { root, budget, read: (one) => readFolder(one, { store, budget }), ownOf: () => own });
}

const names = ({ files }: Unit): string[] => files.map(({ path }) => path).toSorted();

describe("the files of an app", () => {
  const FILES = { "package.json": "{}", "server.js": "1", "lib/a.js": "1", "notes.md": "", "logs/a.log": "" };

  test("are those that may be code, each with its digest", () => {
    const unit = unitOf({ root: made(FILES) });
    expect(names(unit)).toEqual(["lib/a.js", "package.json", "server.js"]);
    const { digests } = unit;
    expect(typeof digests === "string" ? digests : [...digests.keys()].toSorted()).toEqual(names(unit));
    expect(unit.knownDigests).toBe(digests);
    expect(unit.digests).toBe(digests);
  });

  test("are missing if its folder does not exist, and are digested only on demand", () => {
    const root = made(FILES);
    const gone = unitOf({ root }, { cwd: join(root, "gone"), script: join(root, "gone/server.js") });
    expect([gone.folder, names(gone), gone.buildFolder, gone.install.digest]).toEqual([undefined, [], undefined, null]);
    expect(unitOf({ root }).knownDigests).toBeUndefined();
  });

  test("include what the declaration includes, and lack what it excludes, also by absolute paths", () => {
    const root = made({ ...FILES, "views/a.txt": "" });
    expect(names(unitOf({ root }, { include: [join(root, "views/a.txt")] }))).toContain("views/a.txt");
    expect(names(unitOf({ root }, { include: ["views/*.txt"] }))).toContain("views/a.txt");
    expect(names(unitOf({ root }, { exclude: [join(root, "lib")] }))).not.toContain("lib/a.js");
    expect(names(unitOf({ root }, { others: [join(root, "lib/a.js")] }))).not.toContain("lib/a.js");
  });

  test("are not known beyond the time for them, or if one cannot be read", () => {
    const root = made(FILES);
    const late = new Budget(0);
    const problem = "its files could not be read within 0 s";
    expect([unitOf({ root, budget: late }).digests, unitOf({ root, budget: late }).walk.problem]).toEqual([
      problem,
      problem,
    ]);
    const unit = unitOf({ root });
    expect(unit.walk.problem).toBeNull();
    rmSync(join(root, "lib/a.js"));
    const { digests } = unit;
    expect(typeof digests === "string" ? digests : [...digests.keys()].toSorted()).toEqual([
      "package.json",
      "server.js",
    ]);
    const looped = unitOf({ root });
    expect(looped.walk.problem).toBeNull();
    rmSync(join(root, "server.js"));
    mkdirSync(join(root, "server.js"));
    expect(looped.digests).toBe(`${root}/server.js cannot be read (EISDIR)`);
    expect(looped.knownDigests).toBeUndefined();
  });

  test("are as they were walked until one is written", () => {
    const root = made(FILES);
    symlinkSync("lib/a.js", join(root, "link.js"));
    const unit = unitOf({ root });
    expect(names(unit)).toContain("link.js");
    expect(unit.isAsWalked()).toBe(true);
    const written = unitOf({ root });
    expect(names(written)).toContain("lib/a.js");
    chmodSync(join(root, "lib/a.js"), 0o600);
    expect(written.isAsWalked()).toBe(false);
  });
});

describe("the folder of a build", () => {
  const FILES = { "package.json": "{}", "dist/main.js": "1", "src/main.js": "1", "server.js": "1" };
  test.each<[string, Partial<CodeRequest>, Files, string | undefined]>([
    ["has the script", { script: "dist/main.js" }, {}, "dist"],
    ["is not that of a source", { script: "src/main.js" }, {}, undefined],
    ["is not the top", { script: "server.js" }, {}, undefined],
    ["is that of Next.js, which a wrapper starts", { script: "/usr/bin/npm" }, { ".next/BUILD_ID": "x" }, ".next"],
    ["is none of Next.js without one", { script: "/usr/bin/npm" }, {}, undefined],
    [
      "is none of Next.js if it is excluded",
      { script: "/usr/bin/npm", exclude: [".next"] },
      { ".next/BUILD_ID": "x" },
      undefined,
    ],
  ])("%s", (_what, { script = "", ...more }, files, expected) => {
    const root = made({ ...FILES, ...files });
    const path = script.startsWith("/") ? script : join(root, script);
    expect(unitOf({ root }, { script: path, ...more }).buildFolder).toBe(expected);
  });
});

describe("what the declaration names", () => {
  test("is code also outside of the folder of the app, unless it is installed", () => {
    const root = made({
      "apps/api/package.json": "{}",
      "apps/api/server.js": "1",
      "shared/x.txt": "1",
      "shared/y.js": "1",
    });
    const cwd = join(root, "apps/api");
    const loads = {
      files: [join(root, "shared/y.js"), join(root, "gone.js"), "/usr/bin/env", join(cwd, "server.js")],
      folders: [],
      texts: [join(root, "shared/x.txt")],
    };
    const unit = unitOf({ root }, { cwd, script: join(cwd, "server.js"), loads });
    expect(unit.folder).toBe(cwd);
    expect(unit.walk.entries.flatMap(({ path, isOutside }) => (isOutside ? [path] : [])).toSorted()).toEqual([
      "../../shared/x.txt",
      "../../shared/y.js",
    ]);
    const whole = unitOf(
      { root },
      { cwd, script: join(cwd, "server.js"), loads: { files: [], folders: [join(root, "shared")] } },
    );
    expect(names(whole)).toContain("../../shared/y.js");
  });

  test("is named by its absolute path only if it is outside of the repository", () => {
    const root = made({ "apps/api/package.json": "{}", "apps/api/server.js": "1" });
    const cwd = join(root, "apps/api");
    const unit = unitOf({ root }, { cwd, script: join(cwd, "server.js") });
    expect([unit.nameOf("lib/a.js"), unit.nameOf("../../lib/a.js")]).toEqual(["lib/a.js", "../../lib/a.js"]);
    expect(unit.nameOf("../../../other/a.js")).toBe(join(root, "../other/a.js"));
  });

  test("as settings may be a file, a folder of them, or not exist yet", () => {
    const root = made({ "package.json": "{}", "server.js": "1" });
    const etc = join(temporaryFolder(), "etc");
    write(etc, { "a.json": "{}", "b.yaml": "", "c.txt": "", "sub/d.json": "{}" });
    const settings = [etc, join(root, "own.json"), join(etc, "sub/late.json"), join(etc, "none/x.json")];
    const unit = unitOf({ root }, { loads: { files: [], folders: [], settings } });
    expect(unit.missingSettings).toEqual([join(root, "own.json"), join(etc, "sub/late.json")]);
    expect(unit.settingsFolders).toEqual([etc, join(etc, "sub")]);
    const read = unit.walk.entries.filter(({ isOutside }) => isOutside).map(({ absolute }) => absolute);
    expect(read.toSorted()).toEqual([join(etc, "a.json"), join(etc, "b.yaml")]);
  });
});

test("a link to a folder is code by its name, such as that of a build", () => {
  const root = made({ "package.json": "{}", "server.js": "1", "builds/2/main.js": "1" });
  symlinkSync("builds/2", join(root, "dist"));
  symlinkSync("builds/2/main.js", join(root, "notes.md"));
  const unit = unitOf({ root });
  expect(names(unit)).toEqual(expect.arrayContaining(["dist"]));
  expect(names(unit)).not.toContain("notes.md");
});

test("the program of a virtual environment shows where that is", () => {
  const root = made({
    "app.py": "1",
    "venv/pyvenv.cfg": "x",
    "venv/lib/python3/site-packages/a.dist-info/RECORD": "1",
  });
  const outside = join(temporaryFolder(), "venv");
  write(outside, { "pyvenv.cfg": "x", "lib/python3/site-packages/b.dist-info/RECORD": "1" });
  const script = join(root, "app.py");
  const inside = unitOf({ root }, { script }).install.digest;
  const loads = { files: [], folders: [], programs: [join(outside, "bin/python")] };
  const digest = () => unitOf({ root }, { script, loads }).install.digest;
  const before = digest();
  expect(inside).not.toBeNull();
  expect(before).not.toBe(inside);
  writeFileSync(join(outside, "lib/python3/site-packages/b.dist-info/RECORD"), "2");
  expect(digest()).not.toBe(before);
});

test("data that the app writes at its start is its own, also if that shows later", () => {
  const unit = unitOf({
    root: made({ "package.json": "{}", "server.js": "1", "db.json": "{}", "x.json": "{}" }),
    own: ["db.json"],
  });
  expect([...(unit.rules.own ?? [])]).toEqual(["db.json"]);
  unit.addOwn("x.json");
  expect([...(unit.rules.own ?? [])]).toEqual(["db.json", "x.json"]);
});

test("of nested folders, the outer ones remain", () => {
  expect(withoutNested(["/a", "/a/b", "/ab", "/c/d"])).toEqual(["/a", "/ab", "/c/d"]);
});
