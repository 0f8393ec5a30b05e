import { describe, expect, test } from "vitest";
import {
  describeError,
  envDiff,
  execute,
  profileApply,
  profileList,
  startupCheck,
  type Caller,
} from "../../../src/core/index.ts";
import { CONFIG_FOLDER, GOOD_ENV, makeWorkspace, type TestWorkspace } from "../../support/workspace.ts";

const caller: Caller = { source: "cli", grants: ["read", "write"] };
const DEV = `${CONFIG_FOLDER}/.env.dev`;

function apply({ ports }: TestWorkspace, profile: string, values: Record<string, string> = {}, dryRun = false) {
  return execute(profileApply, ports, { profile, values, dryRun }, caller);
}

async function detailsOf(attempt: Promise<unknown>): Promise<string | undefined> {
  return attempt.then(
    () => undefined,
    (error: unknown) => describeError(error).body.details,
  );
}

describe("operational profiles", () => {
  test("are the four of the specification", async () => {
    const { profiles } = await execute(profileList, makeWorkspace().ports, {}, caller);
    expect(profiles.map(({ label }) => label)).toEqual([
      "REST only",
      "WebSocket + REST (cluster)",
      "WebSocket + REST (multi-host)",
      "gRPC + REST",
    ]);
  });

  test.each([
    ["rest", "rest", {}],
    ["websocket-rest-cluster", "websocket", {}],
    ["websocket-rest-multi-host", "websocket", { SVC_WEBSOCKET_REDIS_URL: "redis://10.0.0.5:6379" }],
    ["grpc-rest", "grpc", {}],
  ] as const)("%s, applied, lets its %s entrypoint start", async (profile, entrypoint, values) => {
    const workspace = makeWorkspace();
    await apply(workspace, profile, values);
    const check = await execute(startupCheck, workspace.ports, { entrypoint }, caller);
    expect(check).toMatchObject({ mayStart: true, issues: [] });
  });

  test("applying a profile twice has the same effect as applying it once", async () => {
    const workspace = makeWorkspace();
    await apply(workspace, "grpc-rest");
    const once = workspace.read(DEV);
    expect(await apply(workspace, "grpc-rest")).toMatchObject({ changedKeys: [] });
    expect(workspace.read(DEV)).toBe(once);
  });

  test("leaves keys outside the allowlist to the operator, with the reason", async () => {
    const workspace = makeWorkspace();
    const { manual } = await apply(workspace, "websocket-rest-cluster");
    expect(manual).toEqual([
      {
        key: "SVC_WEBSOCKET_CLUSTER_WORKERS",
        reason: "it is not in the write allowlist; set it in the file, through review",
      },
    ]);
    expect(workspace.read(DEV)).not.toContain("SVC_WEBSOCKET_CLUSTER_WORKERS");
  });

  test("needs a value for a placeholder, from the command or from the file", async () => {
    const without = makeWorkspace();
    expect(await detailsOf(apply(without, "websocket-rest-multi-host"))).toBe(
      "The profile needs a value for SVC_WEBSOCKET_REDIS_URL, <REDIS_URL>.",
    );
    expect(without.read(DEV)).toBe(GOOD_ENV);
    const holding = makeWorkspace({ [DEV]: `${GOOD_ENV}SVC_WEBSOCKET_REDIS_URL=redis://held:6379\n` });
    await apply(holding, "websocket-rest-multi-host");
    expect(holding.read(DEV)).toContain("SVC_WEBSOCKET_REDIS_URL=redis://held:6379");
    const wrong = makeWorkspace({ [DEV]: `${GOOD_ENV}SVC_WEBSOCKET_REDIS_URL=http://held:6379\n` });
    expect(await detailsOf(apply(wrong, "websocket-rest-multi-host"))).toContain("needs a value for");
  });

  test("refuses an invalid value, and a value for a key without a placeholder", async () => {
    const workspace = makeWorkspace();
    expect(await detailsOf(apply(workspace, "rest", { SVC_HTTP_FRAMEWORK: "canary" }))).toBe(
      'The profile "rest" takes no values; SVC_HTTP_FRAMEWORK is not used.',
    );
    expect(await detailsOf(apply(workspace, "websocket-rest-multi-host", { FOO: "1" }))).toBe(
      'The profile "websocket-rest-multi-host" takes values only for SVC_WEBSOCKET_REDIS_URL; FOO is not used.',
    );
    const bad = { SVC_WEBSOCKET_REDIS_URL: "redis://u:canary@h" };
    expect(await detailsOf(apply(workspace, "websocket-rest-multi-host", bad))).toContain("redis://[REDACTED]@h");
    expect(workspace.read(DEV)).toBe(GOOD_ENV);
  });

  test("an unknown name is refused with the accepted ones", async () => {
    expect(await detailsOf(apply(makeWorkspace(), "grpc"))).toBe(
      'No operational profile "grpc". Accepted: rest, websocket-rest-cluster, websocket-rest-multi-host, grpc-rest.',
    );
  });

  test("a dry run is refused like the write if the file cannot hold a value", async () => {
    const workspace = makeWorkspace({ [DEV]: "A='\nB=\"\nC=`\n" });
    const values = { SVC_WEBSOCKET_REDIS_URL: "redis://10.0.0.5:6379/?a=b" };
    for (const dryRun of [true, false]) {
      const attempt = apply(workspace, "websocket-rest-multi-host", values, dryRun);
      await expect(attempt).rejects.toMatchObject({ kind: "EDIT_REFUSED", body: { code: "ENV_FILE_UNEDITABLE" } });
    }
  });

  test("a dry run writes nothing", async () => {
    const workspace = makeWorkspace();
    expect(await apply(workspace, "grpc-rest", {}, true)).toMatchObject({
      dryRun: true,
      changedKeys: ["SVC_REALTIME_API", "SVC_REALTIME_API_PROTOCOL"],
    });
    expect(workspace.read(DEV)).toBe(GOOD_ENV);
  });
});

describe("the difference of two environments", () => {
  test("returns the state of every key, and no secret", async () => {
    const from =
      "A_SECRET=canary1\nSVC_REDIS_PASSWORD=canary2\nSVC_HTTP_FRAMEWORK=express\nSVC_DATABASE_NAME=a\nSVC_REDIS_URL=canary3\n";
    const to =
      "A_SECRET=canary4\nSVC_REDIS_PASSWORD=canary2\nSVC_HTTP_FRAMEWORK=express\nSVC_DATABASE_NAME=b\nZ=canary5\n";
    const { ports } = makeWorkspace({ [DEV]: from, [`${CONFIG_FOLDER}/.env.staging`]: to });
    const diff = await execute(envDiff, ports, { from: "dev", to: "staging" }, caller);
    expect(diff).toEqual({
      from: "dev",
      to: "staging",
      entries: [
        { key: "SVC_HTTP_FRAMEWORK", tier: "editable", state: "same", from: "express", to: "express" },
        { key: "SVC_REDIS_URL", tier: "never-exposed", state: "only-from" },
        { key: "SVC_DATABASE_NAME", tier: "read-only", state: "different", from: "a", to: "b" },
        { key: "SVC_REDIS_PASSWORD", tier: "never-exposed", state: "same" },
        { key: "A_SECRET", tier: "never-exposed", state: "different" },
        { key: "Z", tier: "never-exposed", state: "only-to" },
      ],
    });
  });
});
