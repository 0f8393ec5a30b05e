/** Runs the workflows of docs/examples step by step, as a GitHub runner does. */
import { spawnSync } from "node:child_process";
import { chmodSync, writeFileSync } from "node:fs";
import { expect } from "vitest";
import { plainEnvironment, RUN } from "../support/command-line.ts";
import { makeRepository, type TestRepository } from "../support/git.ts";

interface Step {
  readonly name?: string;
  readonly uses?: string;
  readonly run?: string;
  readonly if?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly with?: Readonly<Record<string, unknown>>;
}

export interface Workflow {
  readonly permissions: object;
  readonly defaults: { readonly run: { readonly shell: string } };
  readonly jobs: Readonly<Record<string, { readonly permissions: object; readonly steps: readonly Step[] }>>;
}

/** The result of actions/checkout for a pull request: the merge commit on top of the base branch. */
export function mergedPullRequest(file: string, before: string, text: string): TestRepository {
  const repository = makeRepository({
    [file]: before,
    ".gitignore": "node_modules\n",
    "package.json": JSON.stringify({ private: true, devDependencies: { svcm: "file:vendor/svcm" } }),
    "vendor/svcm/package.json": JSON.stringify({ name: "svcm", version: "0.0.0", bin: "svcm.js" }),
    "vendor/svcm/svcm.js": `#!/usr/bin/env node\nrequire(${JSON.stringify(RUN)});\n`,
    "bin/gh": '#!/bin/sh\necho "$@" >> gh.log\ncase "$*" in *--jq*) echo "${GH_FOUND:-}" ;; esac\n',
  });
  chmodSync(repository.path("bin/gh"), 0o755);
  chmodSync(repository.path("vendor/svcm/svcm.js"), 0o755);
  bash(repository, "npm install --package-lock-only --offline --no-audit --no-fund");
  repository.commit("lock");
  repository.git("switch", "--quiet", "--create", "pull-request");
  repository.write(file, text);
  repository.commit("change");
  repository.git("switch", "--quiet", "main");
  repository.git("merge", "--quiet", "--no-ff", "--message", "merge", "pull-request");
  return repository;
}

export function runSteps(
  repository: TestRepository,
  steps: readonly Step[],
  more: Readonly<Record<string, string>> = {},
) {
  return steps.flatMap(({ name, run, env = {} }) => {
    if (run === undefined) return [];
    const given = { GH_TOKEN: "t", GH_REPO: "o/r", PULL_REQUEST: "7" };
    expect(Object.keys(env).filter((variable) => !(variable in given))).toEqual([]);
    return [{ name, ...bash(repository, run, { ...given, ...more }) }];
  });
}

/** As a runner runs a step with `shell: bash`. */
function bash(repository: TestRepository, script: string, env: Readonly<Record<string, string>> = {}) {
  const file = repository.path(".git/step.sh");
  writeFileSync(file, script);
  const { status, stdout, stderr } = spawnSync("bash", ["--noprofile", "--norc", "-eo", "pipefail", file], {
    cwd: repository.root,
    env: plainEnvironment({
      ...env,
      HOME: repository.path(".git"),
      PATH: `${repository.path("bin")}:${process.env["PATH"]}`,
      CI: "true",
      GITHUB_ACTIONS: "true",
      GITHUB_STEP_SUMMARY: repository.path("summary.md"),
    }),
    encoding: "utf8",
  });
  return { status, stdout, stderr };
}
