import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { plainEnvironment, RUN } from "../support/command-line.ts";
import { makeWorkspace } from "../support/workspace.ts";
import { longTest } from "../support/runs.ts";

const BAD = readFileSync(new URL("../fixtures/deployments/targets-and-ports.yaml", import.meta.url));
const GOOD = readFileSync(new URL("../fixtures/deployments/good.yaml", import.meta.url));

function svcm(args: readonly string[], input: Uint8Array | string) {
  const { root } = makeWorkspace({ "deployments.yaml": BAD });
  const ran = spawnSync(process.execPath, [RUN, ...args], { cwd: root, input, env: plainEnvironment() });
  return { code: ran.status, stdout: ran.stdout.toString("utf8"), stderr: ran.stderr.toString("utf8") };
}

test("standard input is validated instead of a file", () => {
  expect(svcm(["validate", "--file", "-"], GOOD)).toEqual({ code: 0, stdout: "<stdin> is valid.\n", stderr: "" });
  const { code, stdout } = svcm(["validate", "--file", "-", "--json"], BAD);
  expect(code).toBe(1);
  expect(JSON.parse(stdout)).toMatchObject({
    file: "<stdin>",
    valid: false,
    issues: [{ at: { file: "<stdin>" } }, {}, {}],
  });
});

test("standard input has the name of --stdin-filename in the report", () => {
  const { code, stdout } = svcm(["targets", "validate", "--file", "-", "--stdin-filename", "a/deployments.yaml"], BAD);
  expect(code).toBe(1);
  expect(stdout).toMatch(/^1 error, 0 warnings\.\n\na\/deployments\.yaml:\d+:\d+ error /);
});

longTest("standard input that is empty, too large or not text is refused", () => {
  expect(svcm(["validate", "--file", "-"], "")).toMatchObject({
    code: 1,
    stdout: expect.stringMatching(/^1 error, 0 warnings\.\n\n<stdin>:1:1 error the file is empty/) as string,
  });
  const large = svcm(["validate", "--file", "-", "--json"], Buffer.alloc(4 * 2 ** 20 + 1, "#"));
  expect(large.code).toBe(3);
  expect(JSON.parse(large.stdout)).toMatchObject({ code: "EFBIG", path: "standard input" });
  const binary = svcm(["validate", "--file", "-", "--json"], Buffer.from([0x61, 0xff]));
  expect(binary.code).toBe(3);
  expect(JSON.parse(binary.stdout)).toMatchObject({ code: "SUITE_FILE_NOT_UTF8", path: "<stdin>" });
});
