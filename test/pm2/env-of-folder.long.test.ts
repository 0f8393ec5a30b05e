/** An ecosystem file at the top declares the app of a folder whose service has the env file. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { commandLineCaller, envApp, envWrite, execute, rolloutApply, rolloutPlan } from "../../src/core/index.ts";
import { IDLE } from "../support/pm2-daemon.ts";
import { runningPm2 } from "../support/running-pm2.ts";

const caller = commandLineCaller();
const { own, ports } = runningPm2();

const PROJECT = `version: 1
environments: { dev: [] }
services:
  main: { ecosystem: { dev: pm2/ecosystem.dev.config.cjs }, rollout: { minHealthyTime: 100ms } }
  api: { folder: apps/api, env: { dev: config/api.env } }
  mail: { folder: apps/mail, env: { dev: config/mail.env } }
  shared: { folder: packages/shared, env: { dev: .env } }
keys: { COLOR: { kind: text, tier: editable } }
`;

test("a change of that file is a change of the values, and a write names the process", async () => {
  writeFileSync(join(own.folder, "svcm.yaml"), PROJECT);
  const apps = ["api", "mail"].map((name) => {
    const cwd = join(own.folder, "apps", name);
    mkdirSync(join(cwd, "config"), { recursive: true });
    writeFileSync(join(cwd, "package.json"), "{}");
    writeFileSync(join(cwd, "server.js"), `process.loadEnvFile("config/${name}.env"); ${IDLE}`);
    writeFileSync(join(cwd, "config", `${name}.env`), "COLOR=red\n");
    return { name, cwd, script: "server.js" };
  });
  own.pm2Folder(apps);
  const plan = async (): Promise<unknown> => {
    const { steps } = await execute(rolloutPlan, ports, { environment: "dev" }, caller);
    return steps.map(({ do: step, app, why }) => [step, app, why.map(({ field }) => field).join()]);
  };
  await execute(rolloutApply, ports, { environment: "dev" }, caller);
  expect(await plan()).toEqual([]);
  const write = { service: "api", environment: "dev", values: { COLOR: "blue" }, foreignKeys: "refuse" } as const;
  const { response } = await execute(envWrite, ports, write, caller);
  expect(response).toMatchObject({ staleProcesses: [{ name: "api" }] });
  expect(await plan()).toMatchObject([
    ["update", "api", "values"],
    ["save", "", ""],
  ]);
  const { values } = await execute(envApp, ports, { environment: "dev", app: "api", keys: ["COLOR"] }, caller);
  expect(values).toMatchObject([{ key: "COLOR", value: "blue", source: "env file", running: "former" }]);
});

test("the env file of a folder without an app is in doubt for an app that may read it", async () => {
  writeFileSync(join(own.folder, "svcm.yaml"), PROJECT);
  const folder = join(own.folder, "packages/shared");
  mkdirSync(folder, { recursive: true });
  const write = (color: string): void => writeFileSync(join(folder, ".env"), `COLOR=${color}\n`);
  write("red");
  writeFileSync(join(own.folder, "package.json"), "{}");
  writeFileSync(join(own.folder, "top.js"), `process.loadEnvFile("packages/shared/.env"); ${IDLE}`);
  own.pm2Folder([{ name: "top", cwd: own.folder, script: "top.js" }]);
  const plan = async (): Promise<unknown> => {
    const { steps, unknown } = await execute(rolloutPlan, ports, { environment: "dev", apps: ["top"] }, caller);
    return [steps, unknown.map(({ reason }) => reason.split(",")[0])];
  };
  await execute(rolloutApply, ports, { environment: "dev", apps: ["top"] }, caller);
  expect(await plan()).toEqual([[], []]);
  write("blue");
  expect(await plan()).toEqual([[], ["packages/shared/.env changed after its start"]]);
});
