import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import dotenv from "dotenv";
import { expect, test } from "vitest";
import { svcm } from "../support/svcm.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const KEY = "SVC_HTTP_FRAMEWORK";

async function setIn(text: string, assignment: string) {
  const root = temporaryFolder();
  const folder = join(root, "apps/backend-template/src/config");
  mkdirSync(folder, { recursive: true });
  const file = join(folder, ".env.dev");
  writeFileSync(file, text);
  const answer = await svcm(["env", "set", assignment, "--root", root], { root });
  const { code: status, stdout, stderr } = answer;
  const script = `process.stdout.write(String(process.env["${KEY}"]))`;
  const byNode = execFileSync(process.execPath, [`--env-file=${file}`, "-e", script], { env: {}, encoding: "utf8" });
  return {
    status,
    stdout,
    stderr,
    byNode,
    byDotenv: dotenv.parse(readFileSync(file))[KEY],
    text: readFileSync(file, "utf8"),
  };
}

test.each([
  `${KEY}: express\n`,
  `export\t${KEY}=express\n`,
  `${KEY}=\texpress\t# note\n`,
  `\t${KEY}=express\n`,
  "A=1\n\t",
])("%j: both read the new value, without a warning", async (text) => {
  const { status, stdout, byNode, byDotenv } = await setIn(text, `${KEY}=fastify`);
  expect({ status, byNode, byDotenv }).toEqual({ status: 0, byNode: "fastify", byDotenv: "fastify" });
  expect(stdout).not.toContain("Warning");
});

test("after a byte order mark the command warns, because Node does not read the key", async () => {
  const { status, stdout, byNode, byDotenv } = await setIn(`\uFEFF${KEY}=express\n`, `${KEY}=fastify`);
  expect({ status, byNode, byDotenv }).toEqual({ status: 0, byNode: "undefined", byDotenv: "fastify" });
  expect(stdout).toContain(`Warning: .env.dev:1:1 ${KEY}: the file begins with a byte order mark`);
});

test("a line that an open quote above would include is refused, and the file is not changed", async () => {
  const before = `${KEY}=express\nA="open\n`;
  const { status, stderr, text } = await setIn(before, `SVC_WEBSOCKET_REDIS_URL=redis://h/a"b'`);
  expect({ status, text }).toEqual({ status: 3, text: before });
  expect(stderr).toContain('line 2 leaves a quote (") open');
});

test("a value that no quoting preserves is refused as a bad value, with exit code 1", async () => {
  const before = `${KEY}=express\n`;
  const { status, stderr, text } = await setIn(before, "SVC_WEBSOCKET_REDIS_URL=redis://h/a\"b'c`d");
  expect({ status, text }).toEqual({ status: 1, text: before });
  expect(stderr).toContain("SVC_WEBSOCKET_REDIS_URL: no quoting preserves");
});
