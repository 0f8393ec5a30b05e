import { describe, expect, test } from "vitest";
import {
  describeError,
  envCheck,
  envDiff,
  entityTag,
  envRead,
  envUnset,
  envWrite,
  execute,
  type Caller,
  type ErrorDescription,
} from "../../../src/core/index.ts";
import { packagedRuntimeContractText } from "../../../src/core/project/facts/packaged.generated.ts";
import { CONFIG_FOLDER, GOOD_ENV, makeWorkspace, type TestWorkspace } from "../../support/workspace.ts";

const caller: Caller = { source: "cli", actor: "ann", grants: ["read", "write"] };
const DEV = `${CONFIG_FOLDER}/.env.dev`;

function set({ ports }: TestWorkspace, values: Record<string, string>, environment?: string) {
  return execute(envWrite, ports, { values, foreignKeys: "ignore", environment }, caller);
}

async function refusal(attempt: Promise<unknown>): Promise<ErrorDescription> {
  return await attempt.then(() => expect.unreachable(), describeError);
}

describe("a write", () => {
  test("that fails on the disk is recorded as failed, with the code", async () => {
    // The name of the lock is short enough for the file system, but the name of the temporary file is not.
    const fileName = `.env.${"x".repeat(230)}`;
    const contract = packagedRuntimeContractText.replace("file: .env.dev", `file: ${fileName}`);
    const workspace = makeWorkspace({
      "config/runtime-contract.yaml": contract,
      [`${CONFIG_FOLDER}/${fileName}`]: GOOD_ENV,
    });
    const { status, body } = await refusal(set(workspace, { SVC_HTTP_FRAMEWORK: "fastify" }));
    expect([status, body.code]).toEqual([500, "ENAMETOOLONG"]);
    expect(workspace.read(`${CONFIG_FOLDER}/${fileName}`)).toBe(GOOD_ENV);
    const records = workspace.read(".svcm/audit.jsonl").trim().split("\n");
    expect(records.map((line) => JSON.parse(line) as object)).toMatchObject([
      { action: "env.write", environment: "dev", keys: ["SVC_HTTP_FRAMEWORK"], outcome: "started" },
      {
        action: "env.write",
        environment: "dev",
        keys: ["SVC_HTTP_FRAMEWORK"],
        outcome: "failed",
        code: "ENAMETOOLONG",
      },
    ]);
  });

  test("of more than 1 MiB is refused, and so is every other operation on such a file", async () => {
    const text = `${GOOD_ENV}#${"x".repeat(2 ** 20 - GOOD_ENV.length - 2)}\n`;
    const workspace = makeWorkspace({ [DEV]: text, [`${CONFIG_FOLDER}/.env.ci`]: `${text}#` });
    expect((await set(workspace, { SVC_HTTP_FRAMEWORK: "fastify" })).response.changedKeys).toHaveLength(1);
    const attempts = [
      set(workspace, { SVC_WEBSOCKET_REDIS_URL: "redis://h" }),
      set(workspace, { SVC_HTTP_FRAMEWORK: "fastify" }, "ci"),
      execute(envCheck, workspace.ports, { environment: "ci" }, caller),
      execute(envRead, workspace.ports, { environment: "ci" }, caller),
      execute(envDiff, workspace.ports, { from: "dev", to: "ci" }, caller),
    ];
    for (const { body } of await Promise.all(attempts.map(refusal))) {
      expect(body).toMatchObject({ code: "EFBIG", error: "Environment file operation failed." });
      expect(body.details).toContain("larger than 1048576 bytes");
    }
  });
});

const LAYERED = {
  "svcm.yaml":
    "version: 1\nenvironments: { dev: [], staging: [] }\nenv: { dev: [.env, .env.dev], staging: [.env] }\nkeys: { A: { kind: text, tier: editable }, B: { kind: text, tier: editable } }\n",
  ".env": "A=1\n",
  ".env.dev": "B=1\n",
};

test("the tag of a file with layers is that of all of them, in their order", async () => {
  const { ports } = makeWorkspace(LAYERED);
  const place = { environment: "dev" };
  const tagNow = async () => entityTag(ports, (await execute(envRead, ports, place, caller)).bytes);
  const tag = await tagNow();
  const write = { ...place, values: { B: "2" }, foreignKeys: "refuse", ifMatch: tag } as const;
  const { bytes } = await execute(envWrite, ports, write, caller);
  expect(await entityTag(ports, bytes)).toBe(await tagNow());
  expect((await refusal(execute(envWrite, ports, { ...write, values: { B: "3" } }, caller))).body.error).toBeTruthy();
  expect(await tagNow()).toBe(await entityTag(ports, bytes));
});

test.each([
  ["of the environment alone", "B", undefined],
  ["that another environment reads, too", "A", "ENV_LAYER_SHARED"],
])("a key is removed from a layer %s: %s %s", async (_whose, key, code) => {
  const workspace = makeWorkspace(LAYERED);
  const attempt = execute(envUnset, workspace.ports, { environment: "dev", keys: [key], dryRun: false }, caller);
  if (code === undefined) await attempt;
  else expect((await refusal(attempt)).body.code).toBe(code);
  expect([workspace.read(".env"), workspace.read(".env.dev")]).toEqual(["A=1\n", code === undefined ? "" : "B=1\n"]);
});
