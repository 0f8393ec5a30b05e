import { expect, test } from "vitest";
import { releasesToKeep, resolveProbe } from "../../../src/core/rollout/settings.ts";
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
