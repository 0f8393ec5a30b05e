import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { auditList, envWrite, execute, nodePorts, type Caller } from "../../../src/core/index.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { makeWorkspace, type TestWorkspace } from "../../support/workspace.ts";

const caller: Caller = { source: "cli", actor: "ann", grants: ["read", "write"] };

function set(
  { ports }: Pick<TestWorkspace, "ports">,
  values: Record<string, string>,
  more: { environment?: string } = {},
) {
  return execute(envWrite, ports, { values, foreignKeys: "ignore", ...more }, caller);
}

async function refused(attempt: Promise<unknown>): Promise<void> {
  await expect(attempt).rejects.toMatchObject({ name: "SvcmError" });
}

test("a write is recorded under the canonical name of its environment, and under none if it is unknown", async () => {
  const workspace = makeWorkspace();
  await set(workspace, { SVC_HTTP_FRAMEWORK: "fastify" }, { environment: " Development " });
  await refused(set(workspace, { SVC_HTTP_FRAMEWORK: "express", OTHER: "x" }, { environment: "moon" }));
  const { records } = await execute(auditList, workspace.ports, {}, caller);
  expect(records.map(({ environment, keys, outcome }) => ({ environment, keys, outcome }))).toEqual([
    { environment: undefined, keys: ["SVC_HTTP_FRAMEWORK"], outcome: "refused" },
    { environment: "dev", keys: ["SVC_HTTP_FRAMEWORK"], outcome: "succeeded" },
  ]);
});

test("a refused write leaves nothing in a folder that is not a repository", async () => {
  const folder = temporaryFolder();
  const ports = nodePorts({ env: { PM2_HOME: join(folder, ".pm2") }, cwd: folder });
  await refused(execute(envWrite, ports, { values: { SVC_HTTP_FRAMEWORK: "fastify" }, foreignKeys: "ignore" }, caller));
  expect(readdirSync(folder)).toEqual([]);
});
