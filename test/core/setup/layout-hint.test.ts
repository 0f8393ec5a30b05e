/** The next step for a repository without `svcm.yaml`. */
import { join } from "node:path";
import { expect, test } from "vitest";
import { layoutHint, nodePorts } from "../../../src/core/index.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { makeWorkspace } from "../../support/workspace.ts";

const portsOf = (files: Readonly<Record<string, string>>) => makeWorkspace(files).ports;

test("a repository with another layout gets a suggestion to run svcm init", async () => {
  const bare = { "ecosystem.config.js": "module.exports = { apps: [] };", ".env": "" };
  expect(await layoutHint(portsOf(bare))).toBe("Found here: .env, ecosystem.config.js. To use them, run: svcm init");
  expect(await layoutHint(portsOf({ ...bare, "svcm.yaml": "version: 1\nenv: { dev: .env }\n" }))).toBeUndefined();
  // The default folders exist.
  expect(await layoutHint(portsOf({ "main.js": "" }))).toBeUndefined();
});

test("in an empty folder, the next step is the folder of the apps", async () => {
  const root = temporaryFolder();
  const hintWith = (env: Record<string, string>) => layoutHint(nodePorts({ root, env, cwd: root }));
  expect(await hintWith({})).toBe(
    `Nothing is declared in ${root}: it has no svcm.yaml, ecosystem file or env file. Run svcm in the folder of your apps, or name it with --root.`,
  );
  expect(await hintWith({ SVC_SERVICE_MANAGEMENT_CONFIG_DIR: join(root, "config") })).toBeUndefined();
});
