/** Code of a submodule belongs to the commit of the repository that names its commit. The oracle is `git status`. */
import { writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { nodeRunningCode } from "../../../../src/core/running/evidence/index.ts";
import { plainEnvironment } from "../../../support/command-line.ts";
import { makeRepository } from "../../../support/git.ts";
import { temporaryFolder } from "../../../support/temporary-folder.ts";

test("a submodule at another commit, or with changes, is uncommitted code", async () => {
  const library = makeRepository({ "index.js": "1\n", "README.md": "1\n" });
  const repository = makeRepository({ "package.json": "{}\n", "server.js": "1\n" });
  const { root } = repository;
  const git = (...args: string[]): string => repository.git(...args);
  git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", library.root, "vendor/lib");
  repository.commit();
  const code = nodeRunningCode({ root, env: plainEnvironment(), pm2Home: temporaryFolder() });
  const app = { app: "shop", cwd: root, script: repository.path("server.js"), folder: undefined, processes: [] };
  const dirty = async (): Promise<string[]> => {
    const { paths } = await code.listUncommitted([{ ...app, include: [], exclude: [], others: [] }]);
    return paths.map((file) => file.slice(root.length + 1));
  };
  const seen = async () => [git("status", "--porcelain").trim(), await dirty()];
  expect(await seen()).toEqual(["", []]);
  writeFileSync(repository.path("vendor/lib/index.js"), "2\n");
  expect(await seen()).toEqual(["M vendor/lib", ["vendor/lib/index.js"]]);
  git("-C", "vendor/lib", "commit", "--quiet", "--all", "--message", "two");
  expect(await seen()).toEqual(["M vendor/lib", ["vendor/lib"]]);
  repository.commit();
  expect(await seen()).toEqual(["", []]);
  git("submodule", "--quiet", "deinit", "--force", "vendor/lib");
  expect(await seen()).toEqual(["", []]);
});
