/** The effective value of an app, where it is from, and whether it runs. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { commandLineCaller, envApp, envWrite, execute, rolloutApply } from "../../src/core/index.ts";
import { IDLE } from "../support/pm2-daemon.ts";
import { runningPm2 } from "../support/running-pm2.ts";
import { longTest } from "../support/runs.ts";

const caller = commandLineCaller();
const { own, ports } = runningPm2();

longTest("the ecosystem file wins, a write to the env file makes the running value a former one", async () => {
  const folder = join(own.folder, "apps/backend-template/src/config");
  mkdirSync(folder, { recursive: true });
  const file = join(folder, ".env.dev");
  writeFileSync(file, "SVC_HTTP_FRAMEWORK=koa\nSVC_KEYVALUESTORAGE_DRIVER=redis\n");
  writeFileSync(join(own.folder, "deployments.yaml"), "rollout: { minHealthyTime: 100ms }");
  writeFileSync(join(own.folder, "app.cjs"), IDLE);
  const env = { SVC_HTTP_FRAMEWORK: "fastify" };
  writeFileSync(join(own.folder, "own.env"), "SVC_HTTP_FRAMEWORK=nest\n");
  const start = { name: "own", script: "env", args: "SVC_KEYVALUESTORAGE_DRIVER=inmemory ./app.cjs" };
  own.pm2Folder(
    [
      { name: "web", script: "./app.cjs", node_args: `--env-file=${file}`, env },
      { ...start, interpreter: "none", node_args: `--env-file=${own.folder}/own.env` },
    ],
    "dev",
  );
  const keys = ["SVC_HTTP_FRAMEWORK", "SVC_KEYVALUESTORAGE_DRIVER"];
  const show = async () => {
    const { values } = await execute(envApp, ports, { environment: "dev", app: "web", keys }, caller);
    return values.map(({ value, source, overridden, running }) => [value, source, overridden, running]);
  };
  expect(await show()).toEqual([
    ["fastify", "ecosystem", [".env.dev"], "not running"],
    ["redis", "env file", [], "not running"],
  ]);
  const ofStart = await execute(envApp, ports, { environment: "dev", app: "own", keys }, caller);
  expect(ofStart.values.map(({ value, source, overridden }) => [value, source, overridden])).toEqual([
    ["nest", "env file", [".env.dev"]],
    ["inmemory", "command", [".env.dev"]],
  ]);
  await execute(rolloutApply, ports, { environment: "dev", apps: ["web"] }, caller);
  expect((await show()).map(([, , , running]) => running)).toEqual(["same", "same"]);
  const values = { SVC_KEYVALUESTORAGE_DRIVER: "inmemory", SVC_HTTP_FRAMEWORK: "express" };
  await execute(envWrite, ports, { environment: "dev", values, foreignKeys: "refuse" }, caller);
  expect(await show()).toEqual([
    ["fastify", "ecosystem", [".env.dev"], "same"],
    ["inmemory", "env file", [], "former"],
  ]);
  const unknown = execute(envApp, ports, { environment: "dev", app: "wbe" }, caller);
  await expect(unknown).rejects.toMatchObject({ body: { hint: expect.stringContaining("web") as string } });
});
