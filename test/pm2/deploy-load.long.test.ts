/** Good deploys of a cluster app under 200 requests a second, beside PM2's own reload in the same run. */
import { execFile } from "node:child_process";
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { beforeAll, expect, test } from "vitest";
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

let plain = "";
beforeAll(() => void (plain = readFileSync(join(shop.checkout, "app.cjs"), "utf8")));

/** A server closes kept connections when it ends; this one says so in its last answers, so that no client is surprised. */
function announcing(app: string): string {
  return app
    .replace("response.end(", "response.setHeader('connection', isEnding ? 'close' : 'keep-alive').end(")
    .replace("server.close(resolve)", "require('node:net').Server.prototype.close.call(server, resolve)")
    .replace('process.on("SIGINT", () => {', 'let isEnding = false;\nprocess.on("SIGINT", () => {\n  isEnding = true;');
}

const same = (app: string): string => app;

test.each([
  [1, "new connections", same],
  [2, "new connections", same],
  [1, "kept connections whose end is announced", announcing],
  [2, "kept connections whose end is announced", announcing],
  [1, "kept connections", same],
  [2, "kept connections", same],
])("%i instances, %s: good deploys lose no more than PM2's reload", async (instances, what, change) => {
  const keepAlive = what !== "new connections";
  const ecosystem = readFileSync(join(shop.checkout, "ecosystem.config.cjs"), "utf8");
  shop.publish({
    // Several requests are on their way at each moment.
    "app.cjs": change(plain).replace(/response\..*end\(version\)/, "setTimeout(() => $&, 20)"),
    "ecosystem.config.cjs": ecosystem.replace(/"instances":\d/, `"instances":${instances}`),
  });
  await shop.deploy();
  const deployed = await loadDuring(shop.port, () => times(deployNext), { keepAlive });
  const reloaded = await loadDuring(shop.port, () => times(reload), { keepAlive });
  const [own, pm2] = [deployed, reloaded].map(
    ({ failed, sent, perSecond }) => `${failed} of ${sent} (${perSecond} per second)`,
  );
  console.log(`${instances} instances, ${what}: deploy ${own}, PM2's reload ${pm2}`);
  expect(await shop.answer()).toBe(String(version));
  expect(Math.min(deployed.perSecond, reloaded.perSecond)).toBeGreaterThan(190);
  if (what !== "kept connections") return expect([deployed.failed, reloaded.failed]).toEqual([0, 0]);
  // PM2 kills the process while clients go on to use its connections: what is on its way then is chance, of which this is
  // three times the standard deviation.
  const chance = 3 * Math.sqrt(deployed.failed + reloaded.failed);
  expect(deployed.failed).toBeLessThanOrEqual(reloaded.failed + chance);
});
