import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { nodePorts } from "../../../src/core/node-ports.ts";
import {
  createServiceLookup,
  readProbes,
  readSettings,
  releasesToKeep,
  resolveProbe,
} from "../../../src/core/rollout/settings.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { loaded } from "./loaded.ts";
import { mergeSettings, type RolloutSettings } from "../../../src/core/project/rollout-settings.ts";

test("without the property rollout, every setting has its default", () => {
  expect(mergeSettings(undefined, undefined)).toEqual({
    minHealthyMs: 2000,
    deadlineMs: 30_000,
    autoRevert: true,
    preflight: false,
    keepReleases: 10,
    health: {},
  });
});

test("the settings of a service take precedence over those of the document, one by one", () => {
  const shared = { minHealthyTime: "1m", preflight: true, health: { restapi: { path: "/up" }, api: { port: "PORT" } } };
  const service = { minHealthyTime: "500ms", health: { api: { port: 80 } } };
  expect(mergeSettings(shared, service)).toMatchObject({
    minHealthyMs: 500,
    preflight: true,
    health: { restapi: { path: "/up" }, api: { port: 80 } },
  });
});

test("the save at the end does not keep ten releases where the app keeps one", () => {
  const settingsOf = (app: string) => ({
    ...mergeSettings(undefined, undefined),
    ...(app === "api" && { keepReleases: 1 }),
  });
  expect(releasesToKeep([{ app: "api" }, { app: "" }], settingsOf)).toBe(1);
  expect(releasesToKeep([{ app: "api" }, { app: "web" }], settingsOf)).toBe(10);
  expect(releasesToKeep([], settingsOf)).toBe(1);
  expect(releasesToKeep([{ app: "" }], settingsOf)).toBe(10);
});

const env = { SVC_HTTP_PORT: "3000", SVC_GRPC_PORT: "3001", PORT: "4000" };

test.each<[string, RolloutSettings["health"], object | undefined]>([
  ["prod-restapi", {}, { kind: "http", port: 3000, path: "/health", portKey: "SVC_HTTP_PORT" }],
  ["prod-grpcapi", {}, { kind: "grpc", port: 3001, path: "/", portKey: "SVC_GRPC_PORT" }],
  ["prod-websocketapi", {}, { kind: "websocket", port: 3000 }],
  ["orders", {}, undefined],
  ["orders", { orders: { port: "PORT" } }, { kind: "http", port: 4000, path: "/health", portKey: "PORT" }],
  ["orders", { orders: { port: 8080, path: "/up" } }, { port: 8080, path: "/up", portKey: null, isDeclared: true }],
  ["orders", { orders: { port: "MISSING" } }, undefined],
  ["prod-restapi", { restapi: { protocol: "none" } }, undefined],
  ["prod-restapi", { "prod-restapi": { path: "/up" }, restapi: { protocol: "none" } }, { path: "/up", port: 3000 }],
  ["prod-grpcapi", { grpcapi: { service: "items.v1.Items" } }, { kind: "grpc", service: "items.v1.Items" }],
])("the probe of %s with the settings %j", (app, health, probe) => {
  const found = resolveProbe(app, env, health);
  if (probe === undefined) expect(found).toBeUndefined();
  else expect(found).toMatchObject(probe);
});

describe("the settings of a checkout", () => {
  const world = (files: Readonly<Record<string, string>>, services: object = {}) => {
    const root = temporaryFolder();
    for (const [name, text] of Object.entries(files)) writeFileSync(join(root, name), text);
    const ports = nodePorts({ root, env: { PM2_HOME: join(root, ".pm2") }, cwd: root });
    return { root, ports: { ...ports, facts: { project: async () => ({ services }) } } as never };
  };
  const SHARED = "rollout:\n  minHealthyTime: 7s\n  preflight: true\n";

  test("are those of deployments.yaml, and of the service of the app", async () => {
    const { ports } = world({ "deployments.yaml": SHARED }, { shop: { rollout: { minHealthyTime: "1s" } } });
    const of = await readSettings(ports, (app) => (app === "api" ? "shop" : ""));
    expect([of("api"), of("other")]).toMatchObject([
      { minHealthyMs: 1000, preflight: true },
      { minHealthyMs: 7000, preflight: true },
    ]);
    const none = await readSettings(world({ "deployments.yaml": "version: 1\n" }).ports, () => "");
    expect(none("api")).toEqual(mergeSettings(undefined, undefined));
    expect((await readSettings(world({}).ports, () => ""))("api").minHealthyMs).toBe(2000);
  });

  test.each([
    ["a setting of another kind", "rollout:\n  minHealthyTime: soon\n", /^rollout\.minHealthyTime: /],
    ["a file that is no YAML", "rollout: [\n", /./],
  ])("are refused with %s", async (_what, text, details) => {
    const { ports, root } = world({ "deployments.yaml": text });
    const error = await readSettings(ports, () => "").catch((reason: unknown) => reason);
    expect(error).toMatchObject({
      kind: "FACT_INVALID",
      body: { path: join(root, "deployments.yaml"), details: expect.stringMatching(details) },
    });
  });

  test("find the service that declares an app", () => {
    const start = { service: "shop" } as never;
    const of = createServiceLookup(loaded([{ name: "api" }], start));
    expect([of("api"), of("other"), createServiceLookup(undefined)("api")]).toEqual(["shop", "", ""]);
  });

  test("probe the port that the file declares, before that of an env file", async () => {
    const { ports, root } = world({ ".env": "PORT=4000\nSVC_HTTP_PORT=5000\n" });
    const machine = { cpuCores: 1, pm2Home: "/pm2" };
    const probe = async (name: string, declared: object, health: object = {}, file = join(root, ".env")) => {
      const apps = [{ name, env: declared, env_file: file }] as never;
      const settings = { ...mergeSettings(undefined, undefined), health } as never;
      return (await readProbes(ports, loaded(apps), machine, () => settings)).get(name)?.port;
    };
    expect(await probe("restapi", { SVC_HTTP_PORT: "3000" })).toBe(3000);
    expect(await probe("restapi", {})).toBe(5000);
    expect(await probe("api", {}, { api: { port: "PORT" } })).toBe(4000);
    expect(await probe("api", {}, { api: { port: 80 } })).toBe(80);
    expect(await probe("api", { SVC_HTTP_PORT: "3000" })).toBeUndefined();
    expect(await probe("restapi", {}, {}, join(root, "gone"))).toBeUndefined();
  });
});
