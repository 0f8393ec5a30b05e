/** The files of a release that count as changed after it was prepared. */
import {
  appendFileSync,
  chmodSync,
  linkSync,
  mkdirSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { layoutOf } from "../../../src/core/deploy/layout.ts";
import {
  addedPrograms,
  changedFiles,
  noteFiles,
  writtenSince,
} from "../../../src/core/deploy/machine/release-files.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const ID = "20261127080501-4a91c77";
const FILES = [
  "package.json",
  "app.js",
  "db.json",
  "dist/main.js",
  "src/cache/redis.js",
  "src/cache/entry.json",
  ".next/server/app/page.js",
  ".next/server/app/page.html",
  "packages/api/package.json",
  "packages/api/db.json",
  "packages/api/src/index.js",
  "node_modules/express/lib/router.js",
  "node_modules/express/README.md",
  "node_modules/tmp/index.js",
  "node_modules/lru-cache/index.js",
  "node_modules/.cache/babel/entry.json",
];

/** A release with the files, and the apps of its declaration. */
async function prepared(rules: { readonly include?: string[]; readonly exclude?: string[] } = {}, cwd = "") {
  const layout = layoutOf(temporaryFolder());
  const release = join(layout.releases, ID);
  const inRelease = (name: string): string => join(release, name);
  mkdirSync(layout.records, { recursive: true });
  for (const name of FILES) {
    mkdirSync(dirname(inRelease(name)), { recursive: true });
    writeFileSync(inRelease(name), `${name}\n`);
  }
  symlinkSync("app.js", inRelease("link.js"));
  const app = { cwd: inRelease(cwd), script: inRelease(join(cwd, "src/index.js")), folder: undefined };
  await noteFiles(layout, ID, [{ ...app, include: [], exclude: [], ...rules }]);
  return {
    inRelease,
    edit: (...names: string[]) => names.forEach((name) => appendFileSync(inRelease(name), "// by hand\n")),
    changed: (withPackages = true) => changedFiles(layout, ID, { withPackages }),
    written: () => writtenSince(layout, ID, 0),
    added: () => addedPrograms(layout, ID),
  };
}

test("an edit of each kind of code is seen, and nothing else", async () => {
  const { edit, changed, inRelease } = await prepared();
  expect(await changed()).toEqual([]);
  chmodSync(inRelease("app.js"), 0o600);
  expect(await changed()).toEqual([]);
  edit(...FILES);
  const own = ["package.json", "app.js", "db.json", "dist/main.js", "src/cache/redis.js", ".next/server/app/page.js"];
  const ofApi = ["packages/api/package.json", "packages/api/db.json", "packages/api/src/index.js"];
  expect((await changed(false)).toSorted()).toEqual([...own, ...ofApi].toSorted());
  const packages = ["node_modules/express", "node_modules/tmp", "node_modules/lru-cache"];
  expect((await changed()).toSorted()).toEqual([...own, ...ofApi, ...packages].toSorted());
});

test("a link that leads to another file counts, and one that was made again does not", async () => {
  const { inRelease, changed } = await prepared();
  const lead = (to: string): void => {
    rmSync(inRelease("link.js"));
    symlinkSync(to, inRelease("link.js"));
  };
  lead("app.js");
  expect(await changed()).toEqual([]);
  lead("api.js");
  expect(await changed()).toEqual(["link.js"]);
});

test("a package that is gone or was exchanged is one name", async () => {
  const { inRelease, changed } = await prepared();
  rmSync(inRelease("node_modules/express"), { recursive: true });
  expect(await changed()).toEqual(["node_modules/express"]);
});

test.each([
  ["", { exclude: ["db.json"] }, []],
  ["", { exclude: ["packages/*/db.json"] }, ["db.json"]],
  ["packages/api", { exclude: ["db.json"] }, ["db.json"]],
])("in a unit at %j, %j leaves %j", async (cwd, rules, names) => {
  const { edit, changed, written } = await prepared(rules, cwd);
  edit("db.json", "packages/api/db.json");
  expect((await changed()).toSorted()).toEqual(names);
  // It stays data, which no pruning removes.
  expect((await written()).toSorted()).toEqual(["db.json", "packages/api/db.json"]);
});

test("a file that is named as code counts, whatever its name", async () => {
  const { edit, changed } = await prepared({ include: ["node_modules/express/README.md"] });
  edit("node_modules/express/README.md");
  expect(await changed()).toEqual(["node_modules/express"]);
});

test("another link to a file of a package does not change it, and an edit through that link does", async () => {
  const { inRelease, changed } = await prepared();
  const [file, other] = [inRelease("node_modules/express/lib/router.js"), inRelease("other.js")];
  linkSync(file, other);
  expect(await changed()).toEqual([]);
  writeFileSync(other, "by hand");
  utimesSync(other, 1, 1);
  expect(await changed()).toEqual(["node_modules/express"]);
});

test("a program that is added is named, and data is not", async () => {
  const { inRelease, added } = await prepared();
  for (const name of ["photo.png", "data.json", "node_modules/new.js", "app.js"]) writeFileSync(inRelease(name), "x");
  expect(await added()).toEqual([]);
  writeFileSync(inRelease("added.mjs"), "x");
  expect(await added()).toEqual(["added.mjs"]);
});

test("an app without a folder, or with one elsewhere, adds no rules", async () => {
  for (const cwd of ["gone", "../elsewhere"]) {
    const { edit, changed } = await prepared({ exclude: ["app.js"] }, cwd);
    edit("app.js");
    expect(await changed()).toEqual(["app.js"]);
  }
});

test("a torn list is as none", async () => {
  const layout = layoutOf(temporaryFolder());
  mkdirSync(join(layout.releases, ID), { recursive: true });
  mkdirSync(layout.records);
  for (const list of ["files", "packages"]) writeFileSync(join(layout.records, `${ID}.${list}`), "\x1f\x8btorn");
  expect(await changedFiles(layout, ID, { withPackages: true })).toEqual([]);
  expect(await writtenSince(layout, ID, 0)).toEqual([]);
  expect(await addedPrograms(layout, ID)).toEqual([]);
});
