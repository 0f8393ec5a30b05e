/** The processes that keep a former value after a write of an env file. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { SvcmError } from "../../../src/core/api/errors.ts";
import { readEffect } from "../../../src/core/rollout/read-effect.ts";
import { STOPPED } from "./control/played-pm2.ts";
import type { Fields } from "./loaded.ts";
import { api, playApplied, WORKER } from "./played-rollout.ts";

const PAGE = { PAGE: "20" };

interface Scene {
  readonly apps?: readonly Fields[];
  readonly keys?: readonly string[];
  /** Of the env file at each start; null without a record. */
  readonly atStart?: Readonly<Record<string, string>> | null;
  readonly pm2?: Error;
  readonly environments?: readonly string[];
  /** Environments that read the file. */
  readonly users?: readonly string[];
  readonly isStopped?: boolean;
  /** The environments that have no ecosystem file. */
  readonly undeclared?: readonly string[];
}

/** The file has PAGE=20 now. */
async function effectOf(scene: Scene) {
  const {
    apps = [api("1"), WORKER],
    keys = ["PAGE"],
    atStart = { PAGE: "10" },
    users = ["dev"],
    undeclared = [],
  } = scene;
  const world = await playApplied(apps);
  const { ports } = world;
  const { root } = ports.workspace;
  const path = join(root, ".env");
  writeFileSync(path, "PAGE=20\n");
  if (scene.isStopped) world.pm2.change(0, STOPPED);
  const starts = new Map(world.pm2.list().map(({ pmId }) => [pmId, { [path]: atStart }]));
  const names = scene.environments ?? ["dev"];
  const declared = names.filter((name) => !undeclared.includes(name));
  const ecosystem = Object.fromEntries(
    declared.map((name) => [name, [{ file: `${name}.config.cjs`, cwd: undefined, env: undefined, only: undefined }]]),
  );
  const env = Object.fromEntries(users.map((name) => [name, { layers: [".env"] }]));
  const shop = { folder: ".", ecosystem, env, code: { include: [], exclude: [] } };
  const environments = Object.fromEntries(names.map((name) => [name, { aliases: [] }]));
  const project = { environments, defaultEnvironment: "dev", undecided: [], services: { shop } };
  const list = () => (scene.pm2 ? Promise.reject(scene.pm2) : Promise.resolve(world.pm2.list()));
  const own = {
    ...ports,
    facts: { ...ports.facts, project: async () => project },
    processes: { ...ports.processes, list },
    runningCode: { ...ports.runningCode, envFilesAtStart: () => (atStart === null ? new Map() : starts) },
  };
  return await readEffect(own as never, { name: "dev", service: "shop", path }, keys);
}

const api0 = { name: "api", pmIds: [0], scope: "process" };
const both = [api0, { name: "worker", pmIds: [1], scope: "process" }];
const nothing = { staleProcesses: [], overrides: [], elsewhere: [] };

test.each<[string, Scene, object]>([
  ["no key was changed", { keys: [] }, nothing],
  ["processes started with another value", {}, { ...nothing, staleProcesses: both }],
  ["processes started with the value of now, as after a change that was taken back", { atStart: PAGE }, nothing],
  ["no record says what they started with", { atStart: null }, { ...nothing, staleProcesses: both }],
  ["the file was not there at the start", { atStart: {} }, { ...nothing, staleProcesses: both }],
  ["the app is stopped", { isStopped: true, apps: [api("1")] }, nothing],
  ["PM2 does not run", { pm2: new SvcmError("PM2_FAILED", { code: "PM2_NOT_RUNNING" }) }, nothing],
  [
    "the ecosystem file gives the app another value, which wins",
    { apps: [{ env: { PAGE: "5" } }] },
    { ...nothing, overrides: [{ key: "PAGE", app: "api", fileName: "dev.config.cjs" }] },
  ],
  ["no app of the environment reads the file", { users: [] }, nothing],
])("if %s", async (_what, scene, expected) => {
  expect(await effectOf(scene)).toEqual(expected);
});

test("a failure of PM2 leaves the effect unknown, because the file is written, and a defect is passed on", async () => {
  const silent = new SvcmError("PM2_FAILED", { code: "PM2_TIMEOUT", details: "PM2 did not answer." });
  expect(await effectOf({ pm2: silent })).toEqual({
    ...nothing,
    unknownEffect: expect.stringContaining("did not answer"),
  });
  await expect(effectOf({ pm2: new TypeError("defect") })).rejects.toThrow("defect");
});
