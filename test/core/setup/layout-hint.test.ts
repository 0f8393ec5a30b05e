/** The next step for a repository without `svcm.yaml`. */
import { join } from "node:path";
import { expect, test } from "vitest";
import { layoutHint, nodePorts, SvcmError, withLayoutHint } from "../../../src/core/index.ts";
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
    `${root} itself has no svcm.yaml, ecosystem file or env file. Name the folder of your apps with --root, or run svcm init, which looks below this one, too.`,
  );
  // A new document needs nothing else.
  const missing = new SvcmError("SUITE_FILE_FAILED", {
    code: "SUITE_FILE_NOT_FOUND",
    path: `${root}/deployments.yaml`,
  });
  expect(await withLayoutHint(nodePorts({ root, env: {}, cwd: root }), missing)).toBe(missing);
  expect(await hintWith({ SVC_SERVICE_MANAGEMENT_CONFIG_DIR: join(root, "config") })).toBeUndefined();
});
