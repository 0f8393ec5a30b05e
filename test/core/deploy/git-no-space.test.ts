/** A full disk of this machine is not a source that cannot be reached. */
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { deployGit, runGit } from "../../../src/core/deploy/machine/git.ts";
import { GIT_ENVIRONMENT } from "../../support/git.ts";
import { canMount, mount } from "../../support/machine.ts";
import { plainEnvironment } from "../../support/command-line.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

test.each([
  ["error: unable to write loose object file: No space left on device", "DEPLOY_NO_SPACE"],
  ["error: unable to write loose object file: Disk quota exceeded", "EDQUOT"],
  ["remote: fatal: write error: No space left on device", "DEPLOY_FETCH_FAILED"],
])("git says %s: %s", async (line, code) => {
  const folder = temporaryFolder();
  mkdirSync(join(folder, "bin"));
  writeFileSync(join(folder, "bin/git"), `#!/bin/sh\necho "${line}" >&2\nexit 128\n`, { mode: 0o755 });
  const place = { root: folder, repository: folder, env: { PATH: `${join(folder, "bin")}:${process.env["PATH"]}` } };
  const source = { kind: "path", url: "/srv/origin", settings: [] } as never;
  await expect(runGit(place, ["fetch"], { source })).rejects.toMatchObject({
    kind: "DEPLOY_IMPOSSIBLE",
    body: { code },
  });
});

test.skipIf(!canMount).each([
  ["size=2m", 3, 2 ** 20, /: 0 MiB and \d+ files are free\.$/],
  ["nr_inodes=20", 40, 1, /: \d+ MiB and 0 files are free\.$/],
])("the files of a commit do not fit into %s (needs root and mount)", async (limit, count, bytes, text) => {
  const root = temporaryFolder();
  const git = (...args: string[]): string =>
    execFileSync("git", args, { cwd: root, env: plainEnvironment(GIT_ENVIRONMENT), encoding: "utf8" }).trim();
  git("init", "--quiet");
  for (let at = 0; at < count; at++) writeFileSync(join(root, `${at}.bin`), Buffer.alloc(bytes, String(at)));
  git("add", "--all");
  git("commit", "--quiet", "--message", "files");
  const folder = join(root, "release");
  mount(folder, "-t", "tmpfs", "-o", limit, "tmpfs");
  const own = deployGit({ root, repository: join(root, ".git"), env: plainEnvironment(GIT_ENVIRONMENT) });
  await expect(own.write(git("rev-parse", "HEAD"), folder, join(root, "index"))).rejects.toMatchObject({
    kind: "DEPLOY_IMPOSSIBLE",
    body: { code: "DEPLOY_NO_SPACE", path: folder, details: expect.stringMatching(text) as string },
  });
});
