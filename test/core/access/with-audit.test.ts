import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { SvcmError } from "../../../src/core/api/errors.ts";
import { FileError } from "../../../src/core/files/ports.ts";
import { editFile, withAudit } from "../../../src/core/access/with-audit.ts";
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

test.each([
  ["the system", new FileError("ENOSPC", "/srv/x", "The disk is full."), "ENOSPC"],
  ["svcm", new SvcmError("NOT_FOUND", { details: "It is gone." }), "NOT_FOUND"],
  ["svcm, with a code", new SvcmError("DEPLOY_FAILED", { code: "LOCKFILE_MISSING" }), "LOCKFILE_MISSING"],
])("an attempt that fails by %s is recorded with its code", async (_who, error, code) => {
  const { ports } = makeWorkspace();
  for (const isBegun of [true, false])
    await expect(
      withAudit(ports, caller, { action: "test.act" }, async ({ begin }) => {
        if (isBegun) await begin();
        throw error;
      }),
    ).rejects.toBe(error);
  const { records } = await execute(auditList, ports, {}, caller);
  expect(records).toMatchObject([
    { outcome: "refused", code },
    { outcome: "failed", code },
  ]);
});

test("a log that cannot be read is an answer with its place, and a defect stays one", async () => {
  const { ports } = makeWorkspace();
  const listing = (error: Error) => {
    const audit = { ...ports.audit, newest: () => Promise.reject(error) };
    return execute(auditList, Object.create(ports, { audit: { value: audit } }) as typeof ports, {}, caller);
  };
  const body = { code: "EACCES", path: "/srv/audit.jsonl" };
  const failure = new FileError("EACCES", body.path, "It cannot be read.");
  await expect(listing(failure)).rejects.toMatchObject({ kind: "AUDIT_FAILED", body });
  const defect = new TypeError("x is not a function");
  await expect(listing(defect)).rejects.toBe(defect);
});

test.each([
  [true, true, true],
  [true, false, false],
  [false, true, false],
])("a missing file is created: %s, by an attempt: %s, is there: %s", async (mayCreate, hasAttempt, isThere) => {
  const workspace = makeWorkspace({});
  let begun = 0;
  const attempt = { subject: { action: "x" }, note: () => undefined, begin: async () => void (begun += 1) };
  const edit = editFile(workspace.ports, workspace.path("new.yaml"), {
    decode: (bytes) => new TextDecoder().decode(bytes),
    plan: (text) => ({ text: `${text}a: 1\n` }),
    attempt: hasAttempt ? attempt : undefined,
    mayCreate,
  });
  if (mayCreate) expect(await edit).toMatchObject({ created: true, planned: { text: "a: 1\n" } });
  else await expect(edit).rejects.toMatchObject({ code: "ENOENT" });
  expect([existsSync(workspace.path("new.yaml")), begun]).toEqual([isThere, isThere ? 1 : 0]);
});
