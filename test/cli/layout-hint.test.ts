/** The first commands in a repository with another layout. */
import { expect, test } from "vitest";
import { svcm } from "../support/svcm.ts";
import { makeWorkspace } from "../support/workspace.ts";

const ECOSYSTEM = 'module.exports = { apps: [{ name: "api", script: "api.js" }] }';
const FOREIGN = { "ecosystem.config.js": ECOSYSTEM, ".env": "PORT=1\n" };
const HINT = "Found here: .env, ecosystem.config.js. To use them, run: svcm init";

test.each([
  ["env get"],
  ["env check"],
  ["ecosystem show"],
  ["ecosystem check"],
  ["validate"],
  ["targets list"],
  ["targets validate"],
  ["config show"],
  ["interfaces list"],
  ["process start api --ecosystem"],
  ["process restart api --ecosystem"],
  ["restart --ecosystem"],
])("svcm %s without svcm.yaml names the files that exist, and suggests svcm init", async (command) => {
  const { root } = makeWorkspace(FOREIGN);
  const { stdout, stderr, code } = await svcm(command.split(" "), { root });
  expect(code).not.toBe(70);
  expect(stdout + stderr).toContain(`Hint: ${HINT}\n`);
});

test("if a document that the user names is missing, svcm init is not suggested", async () => {
  const { root } = makeWorkspace(FOREIGN);
  const { stderr } = await svcm(["validate", "--file", "other.yaml"], { root });
  expect(stderr).not.toContain("svcm init");
});

test("svcm init is not suggested in a repository with svcm.yaml", async () => {
  const { root } = makeWorkspace({ ...FOREIGN, "svcm.yaml": "version: 1\nenvironments: { dev: [] }\n" });
  const { stderr } = await svcm(["validate"], { root });
  expect(stderr).toContain("Hint: svcm check checks what this repository declares.");
});
