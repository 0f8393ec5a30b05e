/** svcm's copy of a source, after a push with force, a kill and a loss of power. */
import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { layoutOf } from "../../../src/core/deploy/layout.ts";
import { deployGit } from "../../../src/core/deploy/machine/git.ts";
import { removeLeftovers } from "../../../src/core/deploy/machine/walk.ts";
import { plainEnvironment } from "../../support/command-line.ts";
import { GIT_ENVIRONMENT } from "../../support/git.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

test("it does without lost commits, removes locks of a killed Git, and is named if it is damaged", async () => {
  const root = temporaryFolder();
  const env = plainEnvironment(GIT_ENVIRONMENT);
  const git = (...args: string[]): string => execFileSync("git", args, { cwd: root, env, encoding: "utf8" }).trim();
  git("init", "--quiet", "--initial-branch=main");
  git("commit", "--quiet", "--allow-empty", "--message", "one");
  const commit = git("rev-parse", "HEAD");
  git("branch", "team/one");
  const layout = layoutOf(join(root, "deploy"));
  const { repository } = layout;
  const own = deployGit({ root, repository, env });
  const fetch = () => own.fetch({ kind: "path", url: root, settings: [] }, { timeoutMs: 20_000 });
  await fetch();
  const lost = "a".repeat(40);
  await own.keep(
    new Map(
      [
        ["kept", commit],
        ["lost", lost],
      ].map(([id = "", one = ""]) => [id, one] as const),
    ),
  );
  expect(readdirSync(join(repository, "refs/svcm"))).toEqual(["kept"]);

  const locks = ["refs/heads/team/one.lock", "packed-refs.lock"].map((name) => join(repository, name));
  mkdirSync(join(repository, "refs/heads/team"), { recursive: true });
  for (const lock of locks) writeFileSync(lock, "");
  await removeLeftovers(layout);
  expect(locks.filter((lock) => existsSync(lock))).toEqual([]);

  const objects = join(repository, "objects");
  for (const name of readdirSync(objects, { recursive: true, encoding: "utf8" })) {
    const path = join(objects, name);
    if (!statSync(path).isFile()) continue;
    chmodSync(path, 0o600);
    writeFileSync(path, "");
  }
  git("commit", "--quiet", "--allow-empty", "--message", "two");
  await expect(fetch()).rejects.toMatchObject({
    kind: "DEPLOY_IMPOSSIBLE",
    body: { code: "GIT_FAILED", hint: `Remove it, and the next deploy makes it again: rm -rf ${repository}` },
  });
});
