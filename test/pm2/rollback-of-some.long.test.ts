/** A rollback of one app of a deploy: the link `current` is for all of them, so it moves with the last. */
import { mkdirSync, readFileSync, renameSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { execute, rolloutPlan, rolloutRollback, rolloutRollbackPlan, SvcmError } from "../../src/core/index.ts";
import { IDLE } from "../support/pm2-daemon.ts";
import { caller, shopUnderPm2 } from "./deployed-shop.ts";

const shop = shopUnderPm2();
const { ports } = shop;

test("current stays until the last app returns", async () => {
  const apps = ["web", "worker"].map((name) => ({ name, script: "./idle.cjs", pmx: false }));
  writeFileSync(join(shop.checkout, "idle.cjs"), IDLE);
  const first = shop.publish({ "ecosystem.config.cjs": `module.exports = { apps: ${JSON.stringify(apps)} };` });
  const { deploy: former } = await shop.deploy();
  expect(former.commit).toBe(first);
  shop.publish({ VERSION: "2" });
  const { deploy, release } = await shop.deploy();
  const request = { release: release!.id, apps: ["web"] };
  const { apart, current, stays, steps } = await execute(rolloutRollbackPlan, ports, request, caller);
  const path = join(shop.root, "current");
  expect([current, stays]).toEqual([undefined, { path, at: `releases/${deploy.id}`, apps: ["worker"] }]);
  expect([steps.map(({ app }) => app), apart]).toEqual([["web"], ["web"]]);
  await execute(rolloutRollback, ports, request, caller);
  expect(shop.current()).toBe(deploy.id);
  // So an apply, and a command with --ecosystem, leave the other app where it is.
  const plan = await execute(rolloutPlan, ports, { environment: "production" }, caller);
  expect([plan.unchanged, plan.steps.map(({ app }) => app)]).toEqual([["worker"], ["web", ""]]);

  const other = execute(rolloutRollback, ports, { ...request, apps: ["web", "wroker"] }, caller);
  await expect(other).rejects.toMatchObject({
    kind: "PROCESS_NOT_FOUND",
    body: { details: expect.stringContaining('no app named "wroker". Accepted: web, worker.') as string },
  });
  const last = { ...request, apps: ["worker"] };
  expect((await execute(rolloutRollbackPlan, ports, last, caller)).current?.to).toBe(`releases/${former.id}`);
  // A folder cannot be switched, so no app returns.
  renameSync(path, `${path}.link`);
  mkdirSync(path);
  const unusable = { kind: "DEPLOY_REFUSED", body: { code: "DEPLOY_ROOT_UNUSABLE" } };
  await expect(execute(rolloutRollbackPlan, ports, last, caller)).rejects.toMatchObject(unusable);
  await expect(execute(rolloutRollback, ports, last, caller)).rejects.toMatchObject(unusable);
  const { issues } = await execute(rolloutPlan, ports, { environment: "production" }, caller);
  expect(issues.slice(0, 2).map(({ code }) => code)).toEqual(["DEPLOY_ROOT_UNUSABLE", "CHECKOUT_SWITCH"]);
  rmdirSync(path);
  renameSync(`${path}.link`, path);

  const full = new SvcmError("DEPLOY_IMPOSSIBLE", { code: "ENOSPC", details: "no space left on device" });
  const deployed = { ...ports.deployed, switchTo: () => Promise.reject(full) };
  await expect(execute(rolloutRollback, { ...ports, deployed }, last, caller)).rejects.toMatchObject({
    kind: "APPLY_HALF",
    body: {
      details: `The apps returned, but ${path} was not switched: no space left on device`,
      hint: `Correct that, then: svcm rollback ${release!.id}`,
    },
  });
  await execute(rolloutRollback, ports, { release: release!.id }, caller);
  expect(shop.current()).toBe(former.id);
});

test("the undoing of a rollback of an older deploy returns to the newer one", async () => {
  const project = readFileSync(join(shop.checkout, "svcm.yaml"), "utf8");
  shop.publish({ VERSION: "3", "svcm.yaml": project.replace("keep: 2", "keep: 4") });
  const { deploy: former } = await shop.deploy();
  shop.publish({ VERSION: "4" });
  const { release } = await shop.deploy();
  shop.publish({ VERSION: "5" });
  const { deploy: newer } = await shop.deploy();
  const older = { release: release!.id };
  expect((await execute(rolloutRollbackPlan, ports, older, caller)).current?.to).toBe(`releases/${former.id}`);
  const { id } = await execute(rolloutRollback, ports, older, caller);
  expect(shop.current()).toBe(former.id);
  const undo = await execute(rolloutRollbackPlan, ports, { release: id }, caller);
  expect([undo.current?.to, undo.apart]).toEqual([`releases/${newer.id}`, undefined]);
  await execute(rolloutRollback, ports, { release: id }, caller);
  expect(shop.current()).toBe(newer.id);
  expect((await execute(rolloutPlan, ports, { environment: "production" }, caller)).unchanged).toEqual([
    "web",
    "worker",
  ]);
});
