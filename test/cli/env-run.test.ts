import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { describe, expect, onTestFinished, test } from "vitest";
import { plainEnvironment, RUN } from "../support/command-line.ts";
import { canHaveTerminal, inTerminal } from "../support/in-terminal.ts";
import { LAYERED } from "../support/layered.ts";
import { svcm } from "../support/svcm.ts";
import { makeWorkspace } from "../support/workspace.ts";
import { firstOrAll, longTest } from "../support/runs.ts";

const SHOW = "console.log(JSON.stringify(process.argv.slice(1).map((key) => process.env[key] ?? null)))";

async function variables(keys: readonly string[], flags: readonly string[] = [], env = {}): Promise<unknown> {
  const { root } = makeWorkspace(LAYERED);
  const args = ["env", "run", ...flags, "--", process.execPath, "-e", SHOW, ...keys];
  const { code, stdout, stderr } = await svcm(args, { root, env });
  expect([code, stderr]).toEqual([0, ""]);
  return JSON.parse(stdout);
}

describe("env run gives the command", () => {
  test("the layers of the env file, secrets included, and over them the env of the only app", async () => {
    const keys = ["PORT", "LOG_LEVEL", "TITLE", "OWN_SECRET", "FROM", "PASSWORD"];
    expect(await variables(keys)).toEqual(["3000", "warn", "it is #1", "canary-own", "ecosystem", "canary-ecosystem"]);
  });

  test("the env file alone with --files-only, without running the ecosystem file", async () => {
    expect(await variables(["LOG_LEVEL", "FROM"], ["--files-only"])).toEqual(["debug", null]);
  });

  test("the app that --app names, if there are several apps; without --app, the env file alone", async () => {
    expect(await variables(["FROM", "PORT"], ["-e", "qa", "--app", "worker"])).toEqual(["worker", "4000"]);
    expect(await variables(["FROM", "PORT"], ["-e", "qa"])).toEqual([null, "4000"]);
  });

  test("the variables of the shell, unless the service sets them", async () => {
    const shell = { LOG_LEVEL: "shell", MINE: "shell" };
    expect(await variables(["LOG_LEVEL", "MINE"], ["--files-only"], shell)).toEqual(["debug", "shell"]);
  });
});

test.each(firstOrAll([0, 3, 70]))(
  "env run ends with the exit code of the command, %i, and prints nothing itself",
  async (code) => {
    const { root } = makeWorkspace(LAYERED);
    expect(await svcm(["env", "run", "--", "sh", "-c", `exit ${code}`], { root })).toEqual({
      code,
      stdout: "",
      stderr: "",
    });
  },
);

longTest("env run passes arguments, --json and --help to the command unchanged", async () => {
  const { root } = makeWorkspace(LAYERED);
  const show = "process.stdout.write(JSON.stringify(process.argv.slice(1)))";
  const given = ["--json", "--help", "-e", "x y", "$HOME", ""];
  const { stdout } = await svcm(["env", "run", "--", process.execPath, "-e", show, "--", ...given], { root });
  expect(JSON.parse(stdout)).toEqual(given);
});

async function running(script: string) {
  const { root } = makeWorkspace(LAYERED);
  const child = spawn(process.execPath, [RUN, "env", "run", "--", process.execPath, "-e", script], {
    cwd: root,
    env: plainEnvironment({ HOME: root }),
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const lines: string[] = [];
  const reader = createInterface({ input: child.stdout }).on("line", (line) => lines.push(line));
  const prints = (text: string): Promise<void> =>
    new Promise((resolve) => reader.on("line", (line) => void (line === text && resolve())));
  const ended = new Promise<{ code: number | null; signal: string | null }>((resolve) =>
    child.on("close", (code, signal) => resolve({ code, signal })),
  );
  await prints("ready");
  return { child, ended, lines, prints };
}

const WAIT = 'setInterval(() => {}, 1e6); console.log("ready");';

longTest.each(["SIGTERM", "SIGINT", "SIGHUP", "SIGQUIT"] as const)(
  "a %s to env run reaches the command, and both end by it",
  async (signal) => {
    const { child, ended } = await running(WAIT);
    child.kill(signal);
    expect(await ended).toEqual({ code: null, signal });
  },
);

longTest("a signal that the command handles is passed on once", async () => {
  const script = `process.on("SIGTERM", () => console.log("signalled")); process.on("SIGUSR2", () => process.exit(5)); ${WAIT}`;
  const { child, ended, lines, prints } = await running(script);
  const signalled = prints("signalled");
  child.kill("SIGTERM");
  await signalled;
  child.kill("SIGUSR2");
  expect(await ended).toEqual({ code: 5, signal: null });
  expect(lines).toEqual(["ready", "signalled"]);
});

test.runIf(canHaveTerminal)("Ctrl-C in a terminal reaches the command once", async () => {
  const script = `let count = 0;
    process.on("SIGINT", () => console.log("signalled", ++count));
    process.stdin.once("data", () => { console.log("count", count); process.exit(6); });
    console.log("ready");`;
  const argv = ["env", "run", "--", process.execPath, "-e", script.replaceAll("\n", " ")];
  const { status, screen } = await inTerminal(makeWorkspace(LAYERED), argv, [
    ["ready", "\u0003"],
    ["signalled 1", "\n"],
  ]);
  expect([status, screen.split("\n").filter((line) => line.startsWith("count"))]).toEqual([6, ["count 1"]]);
});

longTest.each([
  ["no command", [], 2, "No command to run was given."],
  [
    "a program that does not exist",
    ["--", "no-such-program"],
    3,
    "Cannot run no-such-program: there is no such program in the PATH.",
  ],
  [
    "a file that is not a program",
    ["--", "./dev.config.cjs"],
    3,
    "Cannot run ./dev.config.cjs: the system refused it (EACCES).",
  ],
  ["an app that is not declared", ["--app", "wrker", "-e", "qa", "--", "true"], 2, "Did you mean worker?"],
])("env run refuses %s", async (_, args, code, words) => {
  const { root } = makeWorkspace(LAYERED);
  const ran = await svcm(["env", "run", ...args], { root });
  expect([ran.code, ran.stdout]).toEqual([code, ""]);
  expect(ran.stderr).toContain(words);
  expect(ran.stderr).not.toContain("canary");
});

longTest("env run starts nothing if the ecosystem file cannot be loaded", async () => {
  const { root } = makeWorkspace({ ...LAYERED, "dev.config.cjs": "throw new Error('canary-thrown');" });
  const ran = await svcm(["env", "run", "--", "echo", "started"], { root });
  expect([ran.code, ran.stdout]).toEqual([3, ""]);
  expect(ran.stderr).toContain("ECOSYSTEM_FILE_THREW");
  expect(ran.stderr).toContain("dev.config.cjs:1:7: the file threw Error.");
  expect(ran.stderr).not.toContain("canary");
});

test("a service without an env file runs with the env of its app", async () => {
  const yaml = LAYERED["svcm.yaml"].replace(/^env: .*\n/m, "");
  const { root } = makeWorkspace({ ...LAYERED, "svcm.yaml": yaml });
  const { code, stdout } = await svcm(["env", "run", "--", "printenv", "FROM"], { root });
  expect([code, stdout]).toEqual([0, "ecosystem\n"]);
});
