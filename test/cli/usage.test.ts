import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { svcm, type Outcome } from "../support/command-line.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

describe("an unknown command", () => {
  test("is refused with what was probably meant, and nothing is asked", () => {
    expect(svcm(["env", "gte"])).toEqual({
      status: 2,
      stdout: "",
      stderr:
        "Error: Wrong usage.\n  env gte is not a svcm command. Did you mean env get?\nHint: svcm help lists all commands\n",
    });
  });

  test("that is like none is refused without a guess", () => {
    const { status, stderr } = svcm(["quux", "frobnicate"]);
    expect(status).toBe(2);
    expect(stderr).not.toContain("Did you mean");
  });

  test("is one JSON document with --json", () => {
    const { status, stdout, stderr } = svcm(["env", "gte", "--json"]);
    expect({ status, stderr }).toEqual({ status: 2, stderr: "" });
    expect(JSON.parse(stdout)).toEqual({
      error: "Wrong usage.",
      details: "env gte is not a svcm command. Did you mean env get?",
    });
  });

  test("after help is refused, too", () => {
    expect(svcm(["help", "quux"]).status).toBe(2);
  });
});

describe("a flag that a command does not have", () => {
  test("is wrong usage", () => {
    expect(svcm(["env", "get", "--bogus"])).toEqual({
      status: 2,
      stdout: "",
      stderr: "Error: Wrong usage.\n  Nonexistent flag: --bogus\nHint: see more help with --help\n",
    });
  });

  test("is wrong usage with --json, with the same exit code", () => {
    const { status, stdout, stderr } = svcm(["env", "get", "--bogus", "--json"]);
    expect({ status, stderr }).toEqual({ status: 2, stderr: "" });
    expect(JSON.parse(stdout)).toEqual({ error: "Wrong usage.", details: "Nonexistent flag: --bogus" });
  });
});

describe("a refusal of the core", () => {
  test("has the words, the hint and the exit code of its kind, in text and in JSON", () => {
    const argv = ["env", "get", "--environment", "production"];
    const text = svcm(argv);
    const json = svcm([...argv, "--json"]);
    expect(text).toMatchObject({ status: 2, stdout: "" });
    expect(text.stderr).toMatch(/^Error: Invalid environment request\.\n {2}\S/);
    expect(json).toMatchObject({ status: 2, stderr: "" });
    expect(JSON.parse(json.stdout)).toMatchObject({ error: "Invalid environment request." });
  });
});

describe("a defect", () => {
  /** Throws where no command can catch it. */
  function crash(env: Readonly<Record<string, string>> = {}): Outcome {
    const preload = join(temporaryFolder(), "crash.cjs");
    writeFileSync(preload, 'setImmediate(() => { throw new Error("a secret of the code"); });\n');
    return svcm(["env", "get"], { env: { NODE_OPTIONS: `--require=${preload}`, ...env } });
  }

  test("says that it is one, without its cause", () => {
    const { status, stderr } = crash();
    expect(status).toBe(70);
    expect(stderr).toContain("This is a defect of svcm.");
    expect(stderr).not.toContain("a secret of the code");
  });

  test("tells where it happened with SVCM_DEBUG", () => {
    const { status, stderr } = crash({ SVCM_DEBUG: "1" });
    expect(status).toBe(70);
    expect(stderr).toMatch(/a secret of the code\n\s+at /);
  });
});
