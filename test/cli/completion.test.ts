import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { plainEnvironment, RUN, svcm } from "../support/command-line.ts";
import { makeWorkspace, type TestWorkspace } from "../support/workspace.ts";
import { longTest } from "../support/runs.ts";

const TARGETS = `deployments:
  - { name: "shop $(touch pwned)", region: eu, runtime: node22, serviceType: functions, deployTarget: lambda, runtimeProtocol: http, databaseDriver: RDS, keyValueDriver: redis }
`;
let workspace: TestWorkspace;
let env: Record<string, string>;

beforeEach(() => {
  workspace = makeWorkspace({ "deployments.yaml": TARGETS });
  const bin = join(workspace.root, "bin");
  mkdirSync(bin);
  symlinkSync(RUN, join(bin, "svcm"));
  env = { HOME: workspace.root, PATH: `${bin}:${process.env["PATH"]}`, TERM: "dumb" };
});

function run(shell: string, ...args: string[]): string {
  const { stdout, stderr } = spawnSync(shell, args, {
    cwd: workspace.root,
    env: plainEnvironment(env),
    encoding: "utf8",
  });
  expect(stderr).toBe("");
  return stdout;
}

const hasShell = (shell: string): boolean => spawnSync(shell, ["-c", "true"]).status === 0;

const scripts = new Map<string, string>();

/** Each shell's script is printed once. */
function scriptOf(shell: string): string {
  const file = join(workspace.root, shell === "powershell" ? "completion.ps1" : `completion.${shell}`);
  const script = scripts.get(shell) ?? svcm(["completion", shell]).stdout;
  scripts.set(shell, script);
  writeFileSync(file, script);
  return file;
}

describe("bash", () => {
  /** The words that bash inserts for a line, passed in the way `readline` does. */
  function offers(line: string): string[] {
    const program = `
      compopt() { options+="$* "; }
      source "$1"
      COMP_LINE="$2" COMP_POINT=\${#2} COMP_WORDS=(svcm)
      _svcm_completion
      printf '%s\\n' "\${COMPREPLY[@]}"`;
    return run("bash", "--norc", "-c", program, "bash", scriptOf("bash"), line)
      .split("\n")
      .filter((candidate) => candidate !== "");
  }

  test("completes commands, keys, values and names of the repository", () => {
    expect(offers("svcm en")).toEqual(["env"]);
    expect(offers("svcm env get SVC_HTTP_F")).toEqual(["SVC_HTTP_FRAMEWORK"]);
    expect(offers("svcm env set SVC_HTTP_FRAMEWORK=fa")).toEqual(["fastify"]);
    expect(offers("svcm env get -e st")).toEqual(["staging"]);
    expect(offers("svcm ecosystem drift -e prod")).toEqual(["production", "prod"]);
    expect(offers("svcm explain ENV_FILE_NOT_F")).toEqual(["ENV_FILE_NOT_FOUND"]);
  });

  test("escapes a name, so that it is never run", () => {
    expect(offers("svcm targets edit sh")).toEqual([String.raw`shop\ \$\(touch\ pwned\)`]);
    expect(existsSync(workspace.path("pwned"))).toBe(false);
  });

  test("offers nothing and prints no error if the repository cannot be read", () => {
    expect(offers(`svcm targets edit --root ${workspace.root}/none `)).toEqual([]);
    expect(offers(`svcm targets edit --root=${workspace.root}/none `)).toEqual([]);
  });
});

test.skipIf(!hasShell("fish"))("fish completes with a few words about each candidate", () => {
  const program = `source ${scriptOf("fish")}; complete -C "svcm env get SVC_HTTP_F"; complete -C "svcm env set SVC_REALTIME_API="`;
  expect(run("fish", "--no-config", "-c", program)).toMatch(
    /^SVC_HTTP_FRAMEWORK\t.+\nSVC_REALTIME_API=no\nSVC_REALTIME_API=yes\n$/,
  );
});

longTest.skipIf(!hasShell("zsh"))("zsh completes at a real prompt", () => {
  const program = `
    zmodload zsh/zpty
    zpty shell 'PS1="> " zsh -f -i'
    zpty -w shell 'autoload -U compinit && compinit -u -D; source "${scriptOf("zsh")}"; print re""ady'
    zpty -r -m shell seen '*ready*' || exit 1
    zpty -n -w shell $'svcm env get SVC_HTTP_F\\t'
    zpty -r -m shell seen '*SVC_HTTP_FRAMEWORK*' && print completed
    zpty -d shell`;
  expect(run("zsh", "-f", "-c", program)).toBe("completed\n");
});

describe("PowerShell", () => {
  const offers = (...words: string[]): string[] =>
    svcm(["__complete", "powershell", "--", ...words], { cwd: workspace.root }).stdout.split("\n");

  test("gets an answer to the unfinished word, which has a mark", () => {
    expect(offers("env", "get", "=SVC_HTTP_F")).toEqual(["none", expect.stringMatching(/^SVC_HTTP_FRAMEWORK\t./), ""]);
    expect(offers("env", "set", "=SVC_REALTIME_API=")).toEqual([
      "none",
      "SVC_REALTIME_API=yes",
      "SVC_REALTIME_API=no",
      "",
    ]);
    expect(offers("targets", "list", "--root", "=")).toEqual(["folders", ""]);
    expect(offers("=en")).toEqual(["none", "env", ""]);
  });

  test.skipIf(!hasShell("pwsh"))("completes and quotes at its own expansion of Tab", () => {
    const program = `. '${scriptOf("powershell")}'; foreach ($line in 'svcm env get SVC_HTTP_F', 'svcm targets edit sh') {
      (TabExpansion2 -inputScript $line -cursorColumn $line.Length).CompletionMatches.CompletionText }`;
    expect(run("pwsh", "-NoProfile", "-Command", program)).toBe("SVC_HTTP_FRAMEWORK\n'shop $(touch pwned)'\n");
  });
});

test("an unknown shell is refused, and the error lists the supported ones", () => {
  expect(svcm(["completion", "tcsh"])).toMatchObject({
    status: 2,
    stderr: expect.stringContaining("bash") as string,
  });
});
