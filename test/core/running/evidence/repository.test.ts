/** HEAD of a repository without a process of Git, and its trees with one. */
import { mkdirSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { findRepository } from "../../../../src/core/running/evidence/repository.ts";
import { plainEnvironment } from "../../../support/command-line.ts";
import { makeRepository } from "../../../support/git.ts";
import { temporaryFolder } from "../../../support/temporary-folder.ts";

const found = (folder: string) => findRepository(folder, plainEnvironment());

describe("HEAD", () => {
  const [LOOSE, PACKED, OTHER] = ["a", "b", "c"].map((letter) => letter.repeat(40));
  const head = (files: Readonly<Record<string, string>>, gitFile?: string) => {
    const top = temporaryFolder();
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(join(top, name, ".."), { recursive: true });
      writeFileSync(join(top, name), text);
    }
    if (gitFile !== undefined) writeFileSync(join(top, ".git"), gitFile);
    return found(top)?.head();
  };
  const REF = { ".git/HEAD": "ref: refs/heads/main\n" };
  const packed = `# pack-refs\n${OTHER} refs/heads/not-refs/heads/main2\n${PACKED} refs/heads/main\n`;

  test.each<[string, Readonly<Record<string, string>>, string | undefined, string | null | undefined]>([
    ["of a branch", { ...REF, ".git/refs/heads/main": `${LOOSE}\n`, ".git/packed-refs": packed }, undefined, LOOSE],
    ["of a packed branch", { ...REF, ".git/packed-refs": packed }, undefined, PACKED],
    ["of a new branch", REF, undefined, null],
    ["without a branch", { ".git/HEAD": `${OTHER}\n` }, undefined, OTHER],
    ["of a broken repository", { ".git/HEAD": "damaged\n" }, undefined, null],
    [
      "of a linked work tree, whose branch is in the common folder",
      { "g/w/HEAD": REF[".git/HEAD"], "g/w/commondir": "..\n", "g/refs/heads/main": LOOSE ?? "" },
      "gitdir: g/w\n",
      LOOSE,
    ],
    ["of a folder without one", { "a.txt": "" }, undefined, undefined],
  ])("%s", (_what, files, gitFile, expected) => {
    expect(head(files, gitFile)).toBe(expected);
  });
});

test("a tree has the files below a folder, and others by name; Git says which paths it ignores", async () => {
  const made = makeRepository({ "apps/api/a.js": "1", "lib/b.js": "1", "c.js": "1", ".gitignore": "*.log\n" });
  const root = realpathSync(made.root);
  const repository = found(join(root, "apps/api"));
  const commit = repository?.head() ?? "";
  expect([repository?.top, commit]).toEqual([root, made.git("rev-parse", "HEAD").trim()]);
  const tree = async (folder: string, more: readonly string[] = []) =>
    [...((await repository?.tree(commit, join(root, folder), more)) ?? new Map<string, string>()).keys()].toSorted();
  expect(await tree("apps/api")).toEqual(["a.js"]);
  expect(await tree("apps/api", [join(root, "lib/b.js"), "/etc/hosts"])).toEqual(["../../lib/b.js", "a.js"]);
  expect(await tree(".")).toEqual([".gitignore", "apps/api/a.js", "c.js", "lib/b.js"]);
  const ignored = async (...paths: string[]) => [...((await repository?.ignored(paths, join(root, "lib"))) ?? [])];
  expect(await ignored("x.log", "b.js", "../y.log")).toEqual(["x.log"]);
  expect([await ignored("b.js"), await ignored()]).toEqual([[], []]);
  expect(repository?.moves().map(({ to }) => to)).toEqual([commit]);
  rmSync(join(root, ".git/objects"), { recursive: true });
  await expect(repository?.ignored(["x.log"], root)).rejects.toMatchObject({ kind: "REVISION_FAILED" });
});

test("a submodule is one only if it is checked out, and has the commit that its repository names", async () => {
  const [library, made] = [makeRepository({ "l.js": "1" }), makeRepository({ "a.js": "1" })];
  made.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", library.root, "vendor/lib");
  made.commit("submodule");
  const root = realpathSync(made.root);
  const id = library.git("rev-parse", "HEAD").trim();
  const commit = made.git("rev-parse", "HEAD").trim();
  const submodules = async () =>
    (await found(root)?.submodules(commit, root))?.map(([path, of, { top }]) => [path, of, top]);
  expect(await submodules()).toEqual([["vendor/lib", id, join(root, "vendor/lib")]]);
  expect([...((await found(root)?.tree(commit, root)) ?? new Map<string, string>()).keys()].toSorted()).toEqual([
    ".gitmodules",
    "a.js",
  ]);
  made.git("submodule", "--quiet", "deinit", "--force", "vendor/lib");
  expect(await submodules()).toEqual([]);
});
