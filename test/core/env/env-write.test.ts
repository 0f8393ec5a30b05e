import { existsSync, linkSync, mkdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { inputs } from "../../../src/core/api/inputs.ts";
import { parseInput } from "../../../src/core/access/parse.ts";
import {
  auditList,
  describeError,
  entityTag,
  envCheck,
  envDiff,
  envPlan,
  envRead,
  envWrite,
  execute,
  type Caller,
} from "../../../src/core/index.ts";
import { CONFIG_FOLDER, GOOD_ENV, makeWorkspace, type TestWorkspace } from "../../support/workspace.ts";

const caller: Caller = { source: "cli", actor: "ann", grants: ["read", "write"] };
const DEV = `${CONFIG_FOLDER}/.env.dev`;

function set({ ports }: TestWorkspace, values: Record<string, string>, more: Record<string, unknown> = {}) {
  return execute(envWrite, ports, { values, foreignKeys: "ignore", ...more }, caller);
}

async function refusal(attempt: Promise<unknown>) {
  const error = await attempt.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (error === undefined) throw new Error("it was not refused");
  return describeError(error);
}

describe("a write", () => {
  test("changes the file, returns the new state, and is audited without values", async () => {
    const workspace = makeWorkspace();
    const { response } = await set(workspace, {
      SVC_HTTP_FRAMEWORK: "fastify",
      SVC_WEBSOCKET_REDIS_URL: "redis://10.0.0.5:6379",
      OTHER: "x",
    });
    expect(workspace.read(DEV)).toBe(
      `${GOOD_ENV.replace("express", "fastify")}SVC_WEBSOCKET_REDIS_URL=redis://10.0.0.5:6379\n`,
    );
    expect(response).toMatchObject({
      environment: "dev",
      fileName: ".env.dev",
      changedKeys: ["SVC_HTTP_FRAMEWORK", "SVC_WEBSOCKET_REDIS_URL"],
      ignoredKeys: ["OTHER"],
      values: { SVC_HTTP_FRAMEWORK: "fastify", SVC_WEBSOCKET_REDIS_URL: "redis://10.0.0.5:6379" },
    });
    const { records } = await execute(auditList, workspace.ports, {}, caller);
    expect(records).toMatchObject([
      {
        action: "env.write",
        environment: "dev",
        keys: response.changedKeys,
        source: "cli",
        actor: "ann",
        outcome: "succeeded",
      },
    ]);
    const log = workspace.read(".svcm/audit.jsonl");
    expect(
      log
        .trim()
        .split("\n")
        .map((line) => (JSON.parse(line) as { outcome: string }).outcome),
    ).toEqual(["started", "succeeded"]);
    expect(log).not.toMatch(/fastify|10\.0\.0\.5/);
  });

  test("of a file with a hard link says that the other name keeps the former values", async () => {
    const workspace = makeWorkspace();
    linkSync(join(workspace.root, DEV), join(workspace.root, "copy"));
    expect((await set(workspace, { SVC_HTTP_FRAMEWORK: "express" })).response.warnings).toEqual([]);
    const { response } = await set(workspace, { SVC_HTTP_FRAMEWORK: "fastify" });
    const message = ".env.dev had another name (a hard link), which keeps the former values";
    expect(response.warnings).toEqual([{ code: "ENV_FILE_LINKED", severity: "warning", path: [], message }]);
    expect(workspace.read("copy")).toBe(GOOD_ENV);
    expect((await set(workspace, { SVC_HTTP_FRAMEWORK: "restify" })).response.warnings).toEqual([]);
  });

  test("that changes nothing does not touch the file and leaves no record", async () => {
    const workspace = makeWorkspace();
    const before = statSync(workspace.path(DEV), { bigint: true });
    const { response } = await set(workspace, { SVC_HTTP_FRAMEWORK: "express", SVC_WEBSOCKET_REDIS_URL: "" });
    expect(response.changedKeys).toEqual([]);
    const after = statSync(workspace.path(DEV), { bigint: true });
    expect([after.ino, after.mtimeNs]).toEqual([before.ino, before.mtimeNs]);
    expect(existsSync(workspace.path(".svcm/audit.jsonl"))).toBe(false);
  });

  test("to one environment leaves the others unchanged", async () => {
    const workspace = makeWorkspace({ [DEV]: GOOD_ENV, [`${CONFIG_FOLDER}/.env.ci`]: GOOD_ENV });
    await set(workspace, { SVC_HTTP_FRAMEWORK: "restify" }, { environment: "test" });
    expect(workspace.read(DEV)).toBe(GOOD_ENV);
    expect(workspace.read(`${CONFIG_FOLDER}/.env.ci`)).toContain("SVC_HTTP_FRAMEWORK=restify");
  });

  test("is refused as a whole if one value is invalid", async () => {
    const workspace = makeWorkspace();
    const { status, exitCode, body } = await refusal(
      set(workspace, { SVC_HTTP_FRAMEWORK: "fastify", SVC_REALTIME_API: "maybe" }),
    );
    expect([status, exitCode, body.error]).toEqual([400, 1, "Invalid payload."]);
    expect(body.details).toBe('SVC_REALTIME_API: unsupported value "maybe"; accepted: yes, no');
    expect(workspace.read(DEV)).toBe(GOOD_ENV);
    const { records } = await execute(auditList, workspace.ports, {}, caller);
    expect(records).toMatchObject([
      {
        environment: "dev",
        keys: ["SVC_HTTP_FRAMEWORK", "SVC_REALTIME_API"],
        outcome: "refused",
        code: "INVALID_PAYLOAD",
      },
    ]);
    expect(workspace.read(".svcm/audit.jsonl")).not.toMatch(/fastify|maybe/);
  });

  test("needs the right to write", async () => {
    const workspace = makeWorkspace();
    const reader: Caller = { source: "http", grants: ["read"] };
    const attempt = execute(envWrite, workspace.ports, { values: {}, foreignKeys: "ignore" }, reader);
    expect(await refusal(attempt)).toEqual({ status: 401, exitCode: 3, body: { error: "Unauthorized." } });
  });

  test("is refused if it cannot be recorded", async () => {
    const workspace = makeWorkspace();
    mkdirSync(workspace.path(".svcm/audit.jsonl"), { recursive: true });
    const { status, body } = await refusal(set(workspace, { SVC_HTTP_FRAMEWORK: "fastify" }));
    expect(status).toBe(500);
    expect(body).toMatchObject({
      error: "Audit log operation failed.",
      code: "EISDIR",
      path: workspace.path(".svcm/audit.jsonl"),
    });
    expect(workspace.read(DEV)).toBe(GOOD_ENV);
  });

  test("numbers and booleans are refused, not converted", () => {
    const values = { SVC_HTTP_FRAMEWORK: 1, SVC_REALTIME_API: true };
    const parse = () => parseInput(inputs["env.write"], { values, foreignKeys: "ignore" }, envWrite.refusal);
    expect(parse).toThrow(
      "values.SVC_HTTP_FRAMEWORK: expected string, got number; values.SVC_REALTIME_API: expected string, got boolean",
    );
  });
});

describe("If-Match", () => {
  test("accepts the write if the file is unchanged since it was read", async () => {
    const workspace = makeWorkspace();
    const { bytes } = await execute(envRead, workspace.ports, {}, caller);
    const ifMatch = `"other", ${await entityTag(workspace.ports, bytes)}`;
    const { response } = await set(workspace, { SVC_HTTP_FRAMEWORK: "fastify" }, { ifMatch });
    expect(response.changedKeys).toEqual(["SVC_HTTP_FRAMEWORK"]);
    const again = await refusal(set(workspace, { SVC_HTTP_FRAMEWORK: "restify" }, { ifMatch }));
    expect(again).toMatchObject({
      status: 412,
      body: { error: "Environment file changed.", code: "ENV_FILE_CHANGED" },
    });
    expect(workspace.read(DEV)).toContain("fastify");
  });

  test("* accepts any content; a weak tag accepts no content", async () => {
    const workspace = makeWorkspace();
    const { bytes } = await execute(envRead, workspace.ports, {}, caller);
    const weak = set(
      workspace,
      { SVC_HTTP_FRAMEWORK: "fastify" },
      { ifMatch: `W/${await entityTag(workspace.ports, bytes)}` },
    );
    expect((await refusal(weak)).status).toBe(412);
    await set(workspace, { SVC_HTTP_FRAMEWORK: "fastify" }, { ifMatch: "*" });
    expect(workspace.read(DEV)).toContain("fastify");
  });
});

describe("files that cannot be written or read", () => {
  test("a missing file is refused with its code and path", async () => {
    const workspace = makeWorkspace({});
    const attempts = [
      () => set(workspace, { SVC_HTTP_FRAMEWORK: "fastify" }),
      () => execute(envRead, workspace.ports, {}, caller),
    ];
    for (const attempt of attempts) {
      expect(await refusal(attempt())).toMatchObject({
        status: 500,
        exitCode: 3,
        body: { error: "Environment file operation failed.", code: "ENV_FILE_NOT_FOUND", path: workspace.path(DEV) },
      });
    }
    const { records } = await execute(auditList, workspace.ports, {}, caller);
    expect(records).toMatchObject([
      {
        action: "env.write",
        environment: "dev",
        keys: ["SVC_HTTP_FRAMEWORK"],
        outcome: "refused",
        code: "ENV_FILE_NOT_FOUND",
      },
    ]);
  });

  test.each([
    ["that are not UTF-8", Buffer.from([0x41, 0x3d, 0xff, 0xfe, 0x0a])],
    ["that are nothing but NUL", Buffer.alloc(64)],
    ["with a NUL in a value", Buffer.from("A=b\0c\n")],
  ])("bytes %s are not changed", async (_, bytes) => {
    const workspace = makeWorkspace({ [DEV]: bytes });
    expect(await refusal(set(workspace, { SVC_HTTP_FRAMEWORK: "fastify" }))).toMatchObject({
      body: { code: "ENV_FILE_NOT_UTF8" },
    });
    expect(Buffer.from(await workspace.ports.files.read(workspace.path(DEV)))).toEqual(bytes);
  });

  test("a file with an open quote that a write would close is refused with a hint", async () => {
    const workspace = makeWorkspace({ [DEV]: "A='\nB=\"\nC=`\n" });
    const answer = await refusal(set(workspace, { SVC_REALTIME_API_DATABASE_DRIVER: "MS SQL" }));
    expect(answer).toMatchObject({
      body: { code: "ENV_FILE_UNEDITABLE" },
      hint: expect.stringContaining("svcm env check") as string,
    });
  });
});

describe("reading", () => {
  test("shows all 23 visible keys, defaults for unset editable ones, and no secret", async () => {
    const secrets = "SVC_JWT_TOKEN_SECRET_KEY=canary\nSVC_WEBSOCKET_REDIS_URL=redis://u:canary@h:1\nOWN_KEY=canary\n";
    const workspace = makeWorkspace({ [DEV]: secrets });
    const { response } = await execute(envRead, workspace.ports, { environment: " Development " }, caller);
    expect(Object.keys(response.values)).toHaveLength(23);
    expect(response).toMatchObject({ environment: "development", fileName: ".env.dev" });
    expect(response.values).toMatchObject({
      SVC_HTTP_FRAMEWORK: "express",
      SVC_KEYVALUESTORAGE_DRIVER: "redis",
      SVC_WEBSOCKET_REDIS_URL: "redis://[REDACTED]@h:1",
      SVC_DATABASE_NAME: "",
    });
    expect(JSON.stringify(response)).not.toContain("canary");
  });

  test("refuses a key that is never exposed, with the reason and a suggestion", async () => {
    const { ports } = makeWorkspace();
    const { body } = await refusal(
      execute(envRead, ports, { keys: ["SVC_REDIS_PASSWORD", "SVC_HTTP_FRAMEWROK"] }, caller),
    );
    expect(body.issues?.map(({ message, suggestion }) => [message, suggestion])).toEqual([
      [
        "SVC_HTTP_FRAMEWROK is not listed in the runtime contract. Unlisted keys are treated as secrets and never shown",
        "SVC_HTTP_FRAMEWORK",
      ],
      ["SVC_REDIS_PASSWORD is never shown. The runtime contract lists it as never-exposed: it is a secret", undefined],
    ]);
  });
});

test.each(["redis://u:can/ary@h:1", "'redis://u:can ary@h:1'", "u:canary@h"])(
  "a URL as misspelled as %s is never shown",
  async (held) => {
    const workspace = makeWorkspace({ [DEV]: `SVC_WEBSOCKET_REDIS_URL=${held}\n`, [`${CONFIG_FOLDER}/.env.ci`]: "" });
    const { ports } = workspace;
    const values = { SVC_WEBSOCKET_REDIS_URL: "redis://h:2" };
    const answers = [
      await execute(envRead, ports, {}, caller),
      await execute(envPlan, ports, { values, foreignKeys: "refuse" }, caller),
      await execute(envDiff, ports, { from: "dev", to: "ci" }, caller),
      await execute(envCheck, ports, {}, caller),
    ];
    expect(answers.map((answer) => JSON.stringify("response" in answer ? answer.response : answer)).join()).not.toMatch(
      /can.?ary/,
    );
  },
);

describe("a plan", () => {
  test("shows the lines, masked, and writes nothing", async () => {
    const workspace = makeWorkspace({ [DEV]: "SVC_WEBSOCKET_REDIS_URL=redis://u:canary@h:1\n" });
    const input = { values: { SVC_WEBSOCKET_REDIS_URL: "redis://h:2" }, foreignKeys: "refuse" as const };
    const plan = await execute(envPlan, workspace.ports, input, caller);
    expect(plan.changes).toEqual([
      {
        key: "SVC_WEBSOCKET_REDIS_URL",
        line: 1,
        before: ["SVC_WEBSOCKET_REDIS_URL=redis://[REDACTED]@h:1"],
        after: ["SVC_WEBSOCKET_REDIS_URL=redis://h:2"],
      },
    ]);
    expect(workspace.read(DEV)).toContain("canary");
  });
});
