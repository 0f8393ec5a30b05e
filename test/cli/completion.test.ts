import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { plainEnvironment, svcm } from "../support/command-line.ts";

const cache = mkdtempSync(join(tmpdir(), "svcm-test-"));
const env = { XDG_CACHE_HOME: cache };
const script = (path: string): string => readFileSync(join(cache, "svcm/autocomplete/functions", path), "utf8");

beforeAll(() => void svcm(["autocomplete", "bash"], { env }));
afterAll(() => rmSync(cache, { recursive: true }));

test.each(["bash", "zsh"])("the instructions for %s name what to run", (shell) => {
  const { status, stdout } = svcm(["autocomplete", shell], { env });
  expect(status).toBe(0);
  expect(stdout).toContain(`svcm autocomplete script ${shell}`);
});

describe("bash completes", () => {
  /** What bash offers for the last of the words. */
  function offers(...words: string[]): string[] {
    const program = [
      'source "$SVCM_COMPLETION"',
      'COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))',
      "_svcm_autocomplete",
      'printf "%s\\n" "${COMPREPLY[@]}"',
    ].join("\n");
    const { stdout, stderr } = spawnSync("bash", ["--norc", "-c", program, "bash", "svcm", ...words], {
      env: plainEnvironment({ SVCM_COMPLETION: join(cache, "svcm/autocomplete/functions/bash/svcm.bash") }),
      encoding: "utf8",
    });
    expect(stderr).toBe("");
    return stdout.split("\n").filter((word) => word !== "");
  }

  test("topics and commands", () => {
    expect(offers("")).toEqual(expect.arrayContaining(["audit", "env", "help", "serve"]));
    expect(offers("en")).toEqual(["env"]);
    expect(offers("env", "")).toEqual(expect.arrayContaining(["check", "diff", "get", "set"]));
    expect(offers("env", "g")).toEqual(["get"]);
  });

  test("flags, after arguments too", () => {
    expect(offers("env", "get", "--")).toEqual(expect.arrayContaining(["--environment", "--json", "--root"]));
    expect(offers("env", "set", "SVC_REALTIME_API=yes", "--dry")).toEqual(["--dry-run"]);
  });

  test("values of flags, however they are written", () => {
    const names = ["dev", "development", "staging", "ci", "test"];
    expect(offers("env", "get", "--environment", "")).toEqual(names);
    expect(offers("env", "get", "-e", "st")).toEqual(["staging"]);
    expect(offers("env", "get", "--environment", "=")).toEqual(names);
    expect(offers("env", "get", "--environment", "=", "c")).toEqual(["ci"]);
  });

  test("values of the fields of an entry, from the facts", () => {
    expect(offers("targets", "edit", "prod", "--service-type", "w")).toEqual(["websocket+restapi"]);
    expect(offers("targets", "add", "--pm2-profile", "")).toEqual(["dev", "staging", "production"]);
    expect(offers("interfaces", "add", "--framework", "so")).toEqual(["socket-io"]);
  });

  test("values of arguments", () => {
    expect(offers("startup", "check", "")).toEqual(expect.arrayContaining(["rest", "websocket", "grpc"]));
  });

  test("nothing of its own where a file may follow", () => {
    expect(offers("env", "get", "--root", "")).toEqual([]);
  });
});

test("zsh is told commands, flags and flag values", () => {
  const zsh = script("zsh/_svcm");
  expect(zsh).toContain("_svcm_env()");
  expect(zsh).toContain("--dry-run");
  expect(zsh).toContain("(dev development staging ci test)");
});

test("a folder that cannot be written is named", () => {
  const file = join(cache, "a-file");
  writeFileSync(file, "");
  const { status, stderr } = svcm(["autocomplete", "bash"], { env: { XDG_CACHE_HOME: file } });
  expect(status).toBe(3);
  expect(stderr).toContain(file);
});
