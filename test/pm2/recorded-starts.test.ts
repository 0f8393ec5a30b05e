/** After a start, a restart or a new instance by svcm, content is compared, as after an apply. */
import { mkdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { execute, processAct, processScale, rolloutPlan } from "../../src/core/index.ts";
import { IDLE } from "../support/pm2-daemon.ts";
import { runningPm2 } from "../support/running-pm2.ts";

const caller = { source: "cli", grants: ["read", "write", "act"] } as const;
const { own, ports } = runningPm2();

test("a file that changes after a restart of svcm's own is named by its key, and one that is only touched is the same", async () => {
  const folder = join(own.folder, "apps/backend-template/src/config");
  mkdirSync(folder, { recursive: true });
  const file = join(folder, ".env.dev");
  const write = (driver: string): void => writeFileSync(file, `SVC_KEYVALUESTORAGE_DRIVER=${driver}\n`);
  write("redis");
  writeFileSync(join(own.folder, "app.cjs"), `require("dotenv");require("./mod.cjs");${IDLE}`);
  writeFileSync(join(own.folder, "mod.cjs"), "");
  mkdirSync(join(own.folder, "node_modules/dotenv"), { recursive: true });
  writeFileSync(join(own.folder, "node_modules/dotenv/index.js"), "");
  own.pm2Folder([{ name: "web", script: "./app.cjs" }], "dev");
  const plan = async () => {
    const { steps, unknown } = await execute(rolloutPlan, ports, { environment: "dev" }, caller);
    const whys = steps.flatMap(({ app, why }) => why.map(({ field, key }) => [app, field, key]));
    return { whys, unknown: unknown.map(({ part }) => part) };
  };
  await execute(processAct, ports, { action: "start", scope: "ecosystem", environment: "dev" }, caller);
  utimesSync(join(own.folder, "mod.cjs"), new Date(), new Date());
  write("inmemory");
  const changed = { whys: [["web", "values", "SVC_KEYVALUESTORAGE_DRIVER"]], unknown: [] };
  expect(await plan()).toEqual(changed);
  await execute(processAct, ports, { action: "restart", name: "web" }, caller);
  write("redis");
  expect(await plan()).toEqual(changed);
  await execute(processScale, ports, { name: "web", instances: 2 }, caller);
  // The new instance has the value of now, and the other one the former.
  write("inmemory");
  expect((await plan()).whys).toContainEqual(changed.whys[0]);
});
