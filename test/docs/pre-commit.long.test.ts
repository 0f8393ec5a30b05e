import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { plainEnvironment, REPOSITORY } from "../support/command-line.ts";
import { GIT_ENVIRONMENT, makeRepository } from "../support/git.ts";
import { pack } from "../support/package.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const isInstalled = spawnSync("pre-commit", ["--version"]).status === 0;
const guide = readFileSync(join(REPOSITORY, "docs/examples/ci/.pre-commit-config.yaml"), "utf8");
const fixture = (name: string) => readFileSync(join(REPOSITORY, "test/fixtures", name), "utf8");

/** pre-commit ignores the user's `.npmrc`; the registry may be set by one of these variables instead. */
const npmSettings = Object.fromEntries(
  Object.entries(process.env).flatMap(([name, value = ""]) => (/^npm_config_/i.test(name) ? [[name, value]] : [])),
);

test.skipIf(!isInstalled)("pre-commit installs svcm as the guide says, and its hook refuses a bad document", () => {
  const folder = temporaryFolder();
  const { repos } = parse(guide) as { repos: { hooks: object[] }[] };
  const hook = { ...repos[0]?.hooks[0], entry: "svcm validate", language: "node" };
  const dependencies = { additional_dependencies: [join(folder, pack(folder).filename)] };
  const team = makeRepository({
    ".pre-commit-config.yaml": JSON.stringify({ repos: [{ repo: "local", hooks: [{ ...hook, ...dependencies }] }] }),
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
