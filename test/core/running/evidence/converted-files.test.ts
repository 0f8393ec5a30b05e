/** Files that Git converts on the way: line ends, and a filter as of Git LFS. The oracle is `git status`. */
import { chmodSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { gitRevisions } from "../../../../src/core/files/git.ts";
import { nodeRunningCode } from "../../../../src/core/running/evidence/index.ts";
import { plainEnvironment } from "../../../support/command-line.ts";
import { makeRepository } from "../../../support/git.ts";
import { temporaryFolder } from "../../../support/temporary-folder.ts";

const FILES = {
  ".gitattributes": "*.js text eol=crlf\n*.wasm filter=upper -text\n",
  "package.json": "{}\n",
  "server.js": "1;\n2;\n",
  "model.wasm": "WORDS\n",
  "ecosystem.config.js": "module.exports = { apps: [] };\n",
};

async function makeConverted() {
  const repository = makeRepository(FILES);
  const { root } = repository;
  const git = (...args: string[]): string => repository.git(...args);
  const path = (name: string): string => repository.path(name);
  git("config", "filter.upper.clean", "tr a-z A-Z");
  git("config", "filter.upper.smudge", "tr A-Z a-z");
  const checkOut = (): void => {
    for (const name of ["server.js", "model.wasm", "ecosystem.config.js"]) rmSync(path(name), { force: true });
    git("checkout", "--force", "--", ".");
  };
  checkOut();
  const env = plainEnvironment();
  const code = nodeRunningCode({ root, env, pm2Home: temporaryFolder() });
  const app = { app: "shop", cwd: root, script: path("server.js"), folder: undefined, processes: [] };
  const names = ["ecosystem.config.js", "package.json"].map((name) => path(name));
  return {
    root,
    git,
    path,
    checkOut,
    status: () => git("status", "--porcelain").trim(),
    dirty: async () => {
      const { paths: uncommitted } = await code.listUncommitted([
        { ...app, include: ["model.wasm"], exclude: [], others: [] },
      ]);
      const state = await gitRevisions({ root, env, maxBytes: 10_000 }).readState(async () => names);
      return [...uncommitted, ...(state?.dirty ?? [])].map((file) => file.slice(root.length + 1)).toSorted();
    },
  };
}

test("files that Git converted are as committed, until they are written", async () => {
  const { status, dirty, path, checkOut, git } = await makeConverted();
  expect(status()).toBe("");
  expect(await dirty()).toEqual([]);
  for (const [name, text] of [
    ["server.js", "1;\r\n3;\r\n"],
    ["model.wasm", "other\n"],
    ["ecosystem.config.js", "module.exports = { apps: [ ] };\r\n"],
  ] as const) {
    writeFileSync(path(name), text);
    expect([status(), await dirty()]).toEqual([`M ${name}`, [name]]);
    checkOut();
  }
  writeFileSync(path("server.js"), "1;\r\n3;\r\n");
  git("add", "server.js");
  expect([status(), await dirty()]).toEqual(["M  server.js", ["server.js"]]);
  git("commit", "--quiet", "--message", "three");
  expect([status(), await dirty()]).toEqual(["", []]);
});

test("the same size and time does not hide a change, and no program of the repository runs", async () => {
  const { git, path, root, dirty } = await makeConverted();
  const ran = join(root, "ran");
  const program = join(temporaryFolder(), "filter.sh");
  writeFileSync(program, `#!/bin/sh\ntouch '${ran}'\ncat\n`);
  chmodSync(program, 0o755);
  git("config", "filter.upper.clean", program);
  git("config", "core.fsmonitor", program);
  const { atime, mtime } = statSync(path("model.wasm"));
  writeFileSync(path("model.wasm"), "sword\n");
  utimesSync(path("model.wasm"), atime, mtime);
  expect(await dirty()).toEqual(["model.wasm"]);
  expect(() => rmSync(ran)).toThrow(/ENOENT/);
});
