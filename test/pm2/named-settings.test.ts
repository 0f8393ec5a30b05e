/** Settings that only a script of `package.json` or a value of an env file names, with a real PM2. */
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { execute, rolloutApply, rolloutPlan } from "../../src/core/index.ts";
import { IDLE } from "../support/pm2-daemon.ts";
import { runningPm2 } from "../support/running-pm2.ts";
import { longTest } from "../support/runs.ts";

const caller = { source: "cli", grants: ["read", "write"] } as const;
const { own, ports } = runningPm2();

longTest("a change and a removal of them are shown until a restart", async () => {
  const [folder, etc] = [join(own.folder, "app"), join(own.folder, "etc")];
  for (const one of [folder, etc]) mkdirSync(one);
  writeFileSync(join(own.folder, "deployments.yaml"), "rollout: { minHealthyTime: 100ms }");
  const scripts = {
    start: "node server.cjs --config ../etc/prod.json",
    dev: "node server.cjs --config ../etc/dev.json",
  };
  writeFileSync(join(folder, "package.json"), JSON.stringify({ scripts }));
  writeFileSync(join(folder, "server.cjs"), IDLE);
  writeFileSync(join(folder, ".env"), "SHOP_CONFIG=../etc/shop.yaml\nSTATE_FILE=../etc/state.json");
  const put = (name: string, text: string): void => writeFileSync(join(etc, name), text);
  for (const name of ["prod.json", "dev.json", "shop.yaml", "state.json"]) put(name, "1");
  own.pm2Folder([{ name: "shop", cwd: folder, script: "npm", args: "start", interpreter: "none" }]);

  const found = async (): Promise<string[]> => {
    const { steps, unknown } = await execute(rolloutPlan, ports, { environment: "dev" }, caller);
    const changed = steps.flatMap(({ why }) => why.map(({ field, details }) => `${field}: ${details}`));
    return [...changed, ...unknown.map(({ part, reason }) => `${part}: ${reason.split(" ")[0]}`)];
  };
  const restart = () => execute(rolloutApply, ports, { environment: "dev", restart: true, allowDirty: true }, caller);
  await restart();
  for (const name of ["dev.json", "state.json"]) put(name, "2");
  expect(await found()).toEqual([]);

  const named = ["prod.json", "shop.yaml"];
  const change = ["code: 2 files: ../etc/prod.json, ../etc/shop.yaml"];
  for (const name of named) put(name, "2");
  expect(await found()).toEqual(change);
  await restart();
  expect(await found()).toEqual([]);
  for (const name of named) rmSync(join(etc, name));
  expect(await found()).toEqual(change);
  await restart();
  expect(await found()).toEqual([]);
});
