import { spawnSync } from "node:child_process";
import { cpSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { globSync } from "tinyglobby";
import { describe, expect, test } from "vitest";
import { plainEnvironment, REPOSITORY, RUN, svcm as program, type Outcome } from "../support/command-line.ts";
import { quickSvcm as svcm } from "../support/svcm.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { longTest } from "../support/runs.ts";

describe("an unknown command", () => {
  test("is refused with a suggestion and without a question", () => {
    expect(program(["env", "gte"])).toEqual({
      status: 2,
      stdout: "",
      stderr:
        "Error: env gte is not an svcm command. Did you mean env get?\nHint: svcm help lists the commands\nCOMMAND_NOT_FOUND (svcm explain COMMAND_NOT_FOUND)\n",
    });
  });

  test("that resembles no command is refused without a suggestion", async () => {
    const { status, stderr } = await svcm(["quux", "frobnicate"]);
    expect(status).toBe(2);
    expect(stderr).not.toContain("Did you mean");
  });

  test("is one JSON document with --json", async () => {
    const { status, stdout, stderr } = await svcm(["env", "gte", "--json"]);
    expect({ status, stderr }).toEqual({ status: 2, stderr: "" });
    expect(JSON.parse(stdout)).toEqual({
      error: "Wrong usage.",
      code: "COMMAND_NOT_FOUND",
      details: "env gte is not an svcm command. Did you mean env get?",
    });
  });

  test("after help is refused as well", async () => {
    expect((await svcm(["help", "quux"])).status).toBe(2);
  });
});

describe("a flag that a command does not have", () => {
  test.each([
    ["env", "run", "--bogus", "--json"],
    ["env", "run", "--json", "--bogus", "--", "node"],
    ["env", "run", "node", "--json"],
  ])("is one JSON document of a command without a JSON answer: %s %s %s %s", async (...argv) => {
    const { status, stdout, stderr } = await svcm(argv);
    expect({ status, stderr }).toEqual({ status: 2, stderr: "" });
    expect(JSON.parse(stdout)).toMatchObject({ code: "WRONG_USAGE" });
    expect(stdout).not.toContain("Did you mean --json");
  });

  test("is text if only the program behind -- has --json", async () => {
    expect(await svcm(["env", "run", "--bogus", "--", "node", "--json"])).toMatchObject({ status: 2, stdout: "" });
  });

  test("is wrong usage", async () => {
    expect(await svcm(["env", "get", "--bogus"])).toEqual({
      status: 2,
      stdout: "",
      stderr:
        "Error: svcm env get has no flag --bogus. Accepted: --environment, --service, --app, --root, --fields, --no-input, --node, --deadline, --json.\nHint: svcm env get --help shows how to use it\nWRONG_USAGE (svcm explain WRONG_USAGE)\n",
    });
  });

  test("is wrong usage with --json, with the same exit code", async () => {
    const { status, stdout, stderr } = await svcm(["env", "get", "--bogus", "--json"]);
    expect({ status, stderr }).toEqual({ status: 2, stderr: "" });
    expect(JSON.parse(stdout)).toEqual({
      error: "Wrong usage.",
      code: "WRONG_USAGE",
      details:
        "svcm env get has no flag --bogus. Accepted: --environment, --service, --app, --root, --fields, --no-input, --node, --deadline, --json.",
    });
  });
});

describe("wrong usage names the problem, the accepted form and the help", () => {
  test.each([
    [["env", "get", "--enviroment", "dev"], /has no flag --enviroment\. Did you mean --environment\?/],
    [["env", "get", "--env", "dev"], /has no flag --env\. Did you mean --environment\?/],
    [["env", "get", "-e"], /--environment needs a value: --environment <name>\./],
    [["audit", "--limit", "x"], /--limit: "x" is not accepted; accepted: an integer from 1 to 1000\./],
    [
      ["metrics", "watch", "--interval", "499"],
      /--interval: "499" is not accepted; accepted: an integer from 500 to 2000/,
    ],
    [["validate", "--format", "json"], /accepted: text, github, sarif, junit\..*For JSON, use --json\./],
    [["startup", "check", "rset"], /"rset" is not accepted; accepted: rest, websocket, grpc\. Did you mean rest\?/],
    [["env", "diff", "dev"], /TO is missing: Second environment/],
    [["process", "list", "x"], /process list x is not an svcm command\.\nHint: svcm ls/],
    [["help", "env", "gte"], /env gte is not an svcm command\. Did you mean env get\?/],
    [["evn"], /Did you mean env\?/],
    [["scale", "api"], /COUNT is missing/],
    [["restart"], /No process was given\. Accepted: NAME, --id or --namespace\./],
    [["ls", "x"], /svcm ls takes no arguments; unexpected: x\./],
    [["autocomplete"], /svcm completion bash/],
  ] as const)("%j", async (argv, words) => {
    const { status, stdout, stderr } = await svcm(argv);
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    expect(stderr).toMatch(words);
    expect(stderr).toMatch(/^Hint: /m);
    expect(stderr).toMatch(/\n[A-Z_]+ \(svcm explain [A-Z_]+\)\n$/);
    expect(stderr).not.toContain("\t");
  });

  test("a topic has no JSON output", async () => {
    const { status, stdout, stderr } = await svcm(["env", "--json"]);
    expect({ status, stderr }).toEqual({ status: 2, stderr: "" });
    expect(JSON.parse(stdout)).toMatchObject({ code: "WRONG_USAGE", details: expect.stringContaining("env get") });
  });
});

describe("a refusal of the core", () => {
  test("has the words, the hint and the exit code of its kind, in text and in JSON", async () => {
    const argv = ["env", "get", "--environment", "production"];
    const text = await svcm(argv);
    const json = await svcm([...argv, "--json"]);
    expect(text).toMatchObject({ status: 2, stdout: "" });
    expect(text.stderr).toMatch(/^Error: .*"production".*\n/);
    expect(text.stderr).toMatch(/\nINVALID_ENVIRONMENT \(svcm explain INVALID_ENVIRONMENT\)\n$/);
    expect(json).toMatchObject({ status: 2, stderr: "" });
    expect(JSON.parse(json.stdout)).toMatchObject({ error: "Invalid environment request." });
  });
});

describe("a defect", () => {
  /** Throws outside the code in which a command can catch it. */
  function crash(env: Readonly<Record<string, string>> = {}): Outcome {
    const preload = join(temporaryFolder(), "crash.cjs");
    writeFileSync(preload, 'setImmediate(() => { throw new Error("a secret of the code"); });\n');
    return program(["env", "get"], { env: { NODE_OPTIONS: `--require=${preload}`, ...env } });
  }

  test("says that it is a defect, and does not show the cause", () => {
    const { status, stderr } = crash();
    expect(status).toBe(70);
    expect(stderr).toContain("This is a defect in svcm.");
    expect(stderr).not.toContain("a secret of the code");
  });

  test("shows its stack with SVCM_DEBUG", () => {
    const { status, stderr } = crash({ SVCM_DEBUG: "1" });
    expect(status).toBe(70);
    expect(stderr).toMatch(/a secret of the code\n\s+at /);
  });

  test("whose words cannot be read, because svcm was replaced meanwhile, ends with one line", () => {
    const root = temporaryFolder();
    for (const path of ["bin", "package.json", "dist"])
      cpSync(join(REPOSITORY, path), join(root, path), { recursive: true });
    for (const path of globSync("dist/chunks/failure*.cjs", { cwd: root })) rmSync(join(root, path));
    const { status, stderr } = program(["env", "gte"], { run: join(root, "bin/run.js") });
    expect(status).toBe(70);
    expect(stderr).toMatch(/^Error: svcm cannot read its own files: .*failure\d?\.cjs'?\n$/);
  });
});

longTest("in a folder that was removed, a command says so, and help is shown", () => {
  const run = (command: string): Outcome => {
    const gone = join(temporaryFolder(), "release");
    const script = `mkdir "$1" && cd "$1" && rmdir "$1" && exec "$2" "$3" ${command}`;
    return spawnSync("bash", ["-c", script, "bash", gone, process.execPath, RUN], {
      env: plainEnvironment(),
      encoding: "utf8",
    });
  };
  expect(run("plan")).toMatchObject({
    status: 2,
    stdout: "",
    stderr: expect.stringMatching(/^Error: The current folder was removed\.\nHint: .*\nROOT_INVALID /),
  });
  expect(run("--help")).toMatchObject({ status: 0, stdout: expect.stringContaining("svcm [COMMAND]"), stderr: "" });
});
