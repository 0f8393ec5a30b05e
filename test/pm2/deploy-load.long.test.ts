/** Good deploys of a cluster app under 200 requests a second, beside PM2's own reload in the same run. */
import { execFile } from "node:child_process";
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { GIT_ENVIRONMENT } from "../support/git.ts";
import { loadDuring } from "../support/http-load.ts";
import { svcmProgram } from "../support/svcm.ts";
import { shopUnderPm2 } from "./deployed-shop.ts";

const ROUNDS = 5;
const PM2 = createRequire(import.meta.url).resolve("pm2/bin/pm2");
const shop = shopUnderPm2({ drainMs: 500 });

async function reload(): Promise<void> {
  const env = { PATH: process.env["PATH"] ?? "", HOME: shop.own.folder, PM2_HOME: shop.own.home };
  await promisify(execFile)(process.execPath, [PM2, "reload", "web"], { env });
}

async function times(work: () => Promise<unknown>): Promise<void> {
  for (let round = 1; round <= ROUNDS; round += 1) await work();
}

let version = 1;
const deployNext = async (): Promise<void> => {
  version += 1;
  shop.publish({ VERSION: String(version) });
  // As a program, like PM2's own: the load comes from this process.
  const { code, stderr } = await svcmProgram(["deploy", "--environment", "production", "--yes"], {
    root: shop.checkout,
    env: { HOME: shop.own.folder, PM2_HOME: shop.own.home, ...GIT_ENVIRONMENT },
  });
  expect(code, stderr).toBe(0);
};

test.each([
  [1, false],
  [1, true],
  [2, false],
  [2, true],
])("with %i instances, keep-alive %s, good deploys lose no more than PM2's reload", async (instances, keepAlive) => {
  const ecosystem = readFileSync(join(shop.checkout, "ecosystem.config.cjs"), "utf8");
  shop.publish({ "ecosystem.config.cjs": ecosystem.replace(/"instances":\d/, `"instances":${instances}`) });
  await shop.deploy();
  const deployed = await loadDuring(shop.port, () => times(deployNext), { keepAlive });
  const reloaded = await loadDuring(shop.port, () => times(reload), { keepAlive });
  const lost = [deployed, reloaded].map(({ failed, sent }) => `${failed} of ${sent}`);
  console.log(`${instances} instances, keep-alive ${keepAlive}: deploy ${lost[0]}, PM2's reload ${lost[1]}`);
  expect(await shop.answer()).toBe(String(version));
  expect(deployed.sent).toBeGreaterThan(200);
  if (!keepAlive) expect(deployed.failed).toBe(0);
  // A request on a kept connection is lost if it is on its way when the old process closes it, which is chance.
  expect(deployed.failed).toBeLessThanOrEqual(reloaded.failed + ROUNDS * instances);
});
