/** The step of action.yml, run as a GitHub runner runs it. */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { plainEnvironment, REPOSITORY, RUN } from "../support/command-line.ts";
import { makeWorkspace } from "../support/workspace.ts";
import { longTest } from "../support/runs.ts";

interface Action {
  readonly inputs: Readonly<Record<string, { readonly default: string }>>;
  readonly runs: { readonly steps: readonly [{ readonly env: Record<string, string>; readonly run: string }] };
}

const text = readFileSync(join(REPOSITORY, "action.yml"), "utf8");
const { inputs, runs } = parse(text) as Action;
const [{ env, run }] = runs.steps;
const GOOD = {
  "svcm.yaml":
    "version: 1\nenvironments: { dev: [] }\nenv: { dev: .env }\nkeys:\n  PAGE_SIZE: { kind: number, tier: editable }\n",
};

function runAction(files: Readonly<Record<string, string>>, given: Readonly<Record<string, string>> = {}) {
  const workspace = makeWorkspace({
    ...GOOD,
    "node_modules/.bin/svcm": `#!/bin/sh\nexec "${process.execPath}" "${RUN}" "$@"\n`,
    ...files,
  });
  spawnSync("chmod", ["+x", workspace.path("node_modules/.bin/svcm")]);
  const values = Object.entries(env).map(([variable, expression]) => {
    const [, input = ""] = /^\$\{\{ inputs\.(\w+) \}\}$/.exec(expression) ?? [];
    return [variable, given[input] ?? inputs[input]?.default];
  });
  const { status, stdout, stderr } = spawnSync("bash", ["--noprofile", "--norc", "-eo", "pipefail", "-c", run], {
    cwd: workspace.root,
    env: plainEnvironment({
      ...(Object.fromEntries(values) as Record<string, string>),
      GITHUB_ACTION_PATH: REPOSITORY,
      GITHUB_STEP_SUMMARY: workspace.path("summary.md"),
      PM2_HOME: workspace.path("pm2"),
    }),
    encoding: "utf8",
  });
  return { status, stdout, stderr, file: (name: string): string => readFileSync(workspace.path(name), "utf8") };
}

test("the action annotates a finding, fails, and writes the summary and the file for code scanning", () => {
  const { status, stdout, file } = runAction(
    { ".env": "PAGE_SIZE=twenty\n" },
    { sarif: "svcm.sarif", paths: ".env\n" },
  );
  expect(status).toBe(1);
  expect(stdout).toMatch(/^::error file=\.env,line=1,/m);
  expect(file("summary.md")).toMatch(/^```text\n\d files? checked: 1 error, 0 warnings\.\n.*PAGE_SIZE/);
  expect(JSON.parse(file("svcm.sarif"))).toMatchObject({ version: "2.1.0", runs: [{ results: [{ level: "error" }] }] });
});

longTest("a good repository passes, and a wrong input is an error that says what is accepted", () => {
  expect(runAction({ ".env": "PAGE_SIZE=20\n" })).toMatchObject({ status: 0 });
  const strict = runAction({ ".env": "" }, { strict: "yes" });
  expect([strict.status, strict.stdout]).toEqual([
    2,
    '::error::strict: "yes" is not accepted. Accepted: true, false.\n',
  ]);
  const broken = runAction({ "svcm.yaml": "version: [\n" });
  expect(broken.status).not.toBe(0);
  const absent = runAction({ "node_modules/.bin/svcm": "" }, {});
  expect(absent.status).not.toBe(0);
});

test("no input is put into a script, and a warning fails only if strict says so", () => {
  expect(run).not.toContain("${{");
  expect(inputs["strict"]?.default).toBe("false");
});
