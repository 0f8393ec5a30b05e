import { execFileSync } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { canMount, mount } from "../support/machine.ts";
import { serve, svcm } from "../support/svcm.ts";
import { CONFIG_FOLDER, GOOD_ENV, makeWorkspace } from "../support/workspace.ts";
import { longTest } from "../support/runs.ts";

function onSmallDisk() {
  const workspace = makeWorkspace({});
  const folder = workspace.path(CONFIG_FOLDER);
  mount(folder, "-t", "tmpfs", "-o", "size=64k", "tmpfs");
  const file = `${folder}/.env.dev`;
  writeFileSync(file, GOOD_ENV);
  return { root: workspace.root, folder, file };
}

type Disk = ReturnType<typeof onSmallDisk>;

/** Expects the command line and HTTP to report a failed write with the same body, and to leave the file unchanged. */
async function expectRefusal({ root, file }: Disk, code: string): Promise<void> {
  const body = { error: "Environment file operation failed.", code, path: file };
  const ran = await svcm(["env", "set", "SVC_HTTP_FRAMEWORK=fastify", "--json"], { root });
  expect([ran.code, ran.stderr]).toEqual([3, ""]);
  expect(JSON.parse(ran.stdout)).toMatchObject(body);
  const { url, stop } = await serve({ root });
  const response = await fetch(`${url}/api/runtime/env`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ values: { SVC_HTTP_FRAMEWORK: "fastify" } }),
  });
  expect(response.status).toBe(500);
  expect(await response.json()).toMatchObject(body);
  expect((await fetch(`${url}/api/runtime/env`)).status).toBe(200);
  expect(await stop()).toBe(0);
  expect(readFileSync(file, "utf8")).toBe(GOOD_ENV);
}

describe.skipIf(!canMount)("a failing disk (needs root and mount)", () => {
  test("command line and HTTP report a full disk, and can write again when there is space", async () => {
    const disk = onSmallDisk();
    const ballast = `${disk.folder}/ballast`;
    expect(() => writeFileSync(ballast, Buffer.alloc(2 ** 20))).toThrow("ENOSPC");
    await expectRefusal(disk, "ENOSPC");
    rmSync(ballast);
    expect((await svcm(["env", "set", "SVC_HTTP_FRAMEWORK=fastify"], { root: disk.root })).code).toBe(0);
    expect(readFileSync(disk.file, "utf8")).toContain("SVC_HTTP_FRAMEWORK=fastify");
  });

  longTest("command line and HTTP report a read-only disk", async () => {
    const disk = onSmallDisk();
    execFileSync("mount", ["-o", "remount,ro", disk.folder]);
    await expectRefusal(disk, "EROFS");
  });

  test("a token is revoked on a full disk; where that cannot be recorded, the refusal says that it still works", async () => {
    const workspace = makeWorkspace();
    const { root } = workspace;
    mount(workspace.path(".svcm"), "-t", "tmpfs", "-o", "size=64k", "tmpfs");
    const create = async (name: string) => (await svcm(["token", "create", name, "--role", "viewer"], { root })).code;
    expect([await create("bot"), await create("bob"), await create("eve")]).toEqual([0, 0, 0]);
    expect(() => writeFileSync(workspace.path(".svcm/ballast"), Buffer.alloc(2 ** 20))).toThrow("ENOSPC");
    const listed = async () => (await svcm(["token", "list"], { root })).stdout;
    const revoked = await svcm(["token", "revoke", "bot"], { root });
    expect([revoked.code, revoked.stderr]).toEqual([0, ""]);
    expect(await listed()).not.toContain("bot");
    expect([await create("new"), await listed()]).toEqual([3, expect.stringContaining("bob")]);
    const env = { SVC_SERVICE_MANAGEMENT_AUDIT_FILE: workspace.path(".svcm/full/audit.jsonl") };
    const refused = await svcm(["token", "revoke", "bob"], { root, env });
    expect([refused.code, refused.stderr]).toEqual([3, expect.stringContaining("The token still works.")]);
    expect(await listed()).toContain("bob");
    rmSync(workspace.path(".svcm/ballast"));
    expect((await svcm(["token", "revoke", "bob"], { root })).code).toBe(0);
    expect(readFileSync(workspace.path(".svcm/tokens.json"), "utf8")).toMatch(/eve[^ ]*.*\}\n$/s);
  });
});
