/** The answers of `svcm env get` if there is nothing to show. */
import { expect, test } from "vitest";
import { svcm } from "../support/svcm.ts";
import { makeWorkspace } from "../support/workspace.ts";

const project = (keys: string): Readonly<Record<string, string>> => ({
  "svcm.yaml": `version: 1
environments: { dev: [], production: [] }
default: dev
ecosystem: { dev: ecosystem.config.js }
env: { dev: .env, production: .env.production }
keys: ${keys}
`,
  "ecosystem.config.js": `module.exports = { apps: [{ name: "api", script: "api.js", env: { PORT: "3000" } }] };\n`,
  "api.js": "",
  ".env.production": "SECRET=x\n",
});
const NO_KEY = "No key may be shown. To permit one: svcm keys allow KEY";

test("an app whose env file does not exist has the values of its ecosystem file", async () => {
  const { root } = makeWorkspace(project("{ PORT: { kind: port, tier: editable } }"));
  const { code, stdout } = await svcm(["env", "get", "--app", "api"], { root });
  expect([code, stdout]).toEqual([0, expect.stringMatching(/PORT\s+3000\s+ecosystem\.config\.js/)]);
  expect(stdout).toMatch(/^Cannot open .*\/\.env: no such file or directory\.$/m);
});

test("without a key that may be shown, the way to permit one is named", async () => {
  const { root } = makeWorkspace(project("{}"));
  const app = await svcm(["env", "get", "--app", "api"], { root });
  expect([app.code, app.stdout]).toEqual([0, expect.stringContaining(NO_KEY)]);
  const file = await svcm(["env", "get", "--environment", "production"], { root });
  expect([file.code, file.stdout.split("\n").at(1)]).toEqual([0, NO_KEY]);
});
