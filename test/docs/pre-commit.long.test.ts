import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { plainEnvironment, REPOSITORY } from "../support/command-line.ts";
import { GIT_ENVIRONMENT, makeRepository } from "../support/git.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const isInstalled = spawnSync("pre-commit", ["--version"]).status === 0;
const fixture = (name: string) => readFileSync(join(REPOSITORY, "test/fixtures", name), "utf8");

/** pre-commit ignores the user's `.npmrc`; the registry may be set by one of these variables instead. */
const npmSettings = Object.fromEntries(
  Object.entries(process.env).flatMap(([name, value = ""]) => (/^npm_config_/i.test(name) ? [[name, value]] : [])),
);

/** The work tree as a repository, so that uncommitted changes are tested as well. */
function publishedRepository(): { url: string; revision: string } {
  const files = execFileSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], {
    cwd: REPOSITORY,
    encoding: "utf8",
  });
  const repository = makeRepository({});
  for (const file of new Set(files.split("\0").filter((name) => name !== ""))) {
    cpSync(join(REPOSITORY, file), join(repository.root, file), { recursive: true });
  }
  repository.commit();
  return { url: `file://${repository.root}`, revision: repository.git("rev-parse", "HEAD").trim() };
}

test.skipIf(!isInstalled)("pre-commit installs the published hook, which refuses a bad document", () => {
  const { url, revision } = publishedRepository();
  const team = makeRepository({
    ".pre-commit-config.yaml": `repos: [{ repo: "${url}", rev: ${revision}, hooks: [{ id: svcm-validate }] }]\n`,
    "deployments.yaml": fixture("deployments-diff/fields/old.yaml"),
  });
  const env = plainEnvironment({ ...npmSettings, ...GIT_ENVIRONMENT, PRE_COMMIT_HOME: temporaryFolder() });
  const run = () => spawnSync("pre-commit", ["run", "--all-files"], { cwd: team.root, env, encoding: "utf8" });

  expect(run()).toMatchObject({ status: 0, stdout: expect.stringMatching(/svcm validate.*Passed/) as string });
  team.write("deployments.yaml", fixture("deployments/targets-and-ports.yaml"));
  expect(run()).toMatchObject({
    status: 1,
    stdout: expect.stringMatching(/deployments\.yaml:\d+:\d+ error/) as string,
  });
});
