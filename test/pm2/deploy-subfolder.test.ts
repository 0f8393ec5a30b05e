/** A project in a folder of its repository: `svcm.yaml` and all that it names lie below the top of the checkout. */
import { mkdirSync, renameSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { deployRun, execute, nodePorts, rolloutPlan, rolloutRollback } from "../../src/core/index.ts";
import { caller, shopUnderPm2 } from "./deployed-shop.ts";

const shop = shopUnderPm2();
const api = join(shop.checkout, "packages/api");
mkdirSync(api, { recursive: true });
const ports = nodePorts({ root: api, env: shop.env, cwd: api });
const input = { environment: "production" };

beforeAll(() => {
  for (const name of ["app.cjs", "build.cjs", "ecosystem.config.cjs", "package.json", "svcm.yaml", "VERSION"])
    shop.git("mv", name, `packages/api/${name}`);
  for (const name of [".env.production", "uploads"]) renameSync(join(shop.checkout, name), join(api, name));
});

afterAll(async () => {
  await ports.logs.close();
  await ports.processes.close();
});

test("a rollback is made in the folder that deployed", async () => {
  shop.publish({});
  await execute(deployRun, ports, input, caller);
  shop.publish({ "packages/api/VERSION": "2" });
  await execute(deployRun, ports, input, caller);
  expect(await shop.answer()).toBe("2");
  const { outcome } = await execute(rolloutRollback, ports, {}, caller);
  expect([outcome, await shop.answer()]).toEqual(["applied", "1"]);
  expect(await execute(rolloutPlan, ports, input, caller)).toMatchObject({ changed: false, issues: [] });
});
