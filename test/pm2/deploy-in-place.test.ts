/** The first deploy of an app that runs in the checkout. */
import { execFileSync } from "node:child_process";
import { readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { deployPlan, execute, rolloutApply } from "../../src/core/index.ts";
import { loadDuring } from "../support/http-load.ts";
import { caller, shopUnderPm2 } from "./deployed-shop.ts";
import { longTest } from "../support/runs.ts";

const shop = shopUnderPm2({ drainMs: 500 });
const at = (name: string): string => join(shop.checkout, name);
const processes = async (): Promise<unknown> =>
  (await shop.ports.processes.list()).map(({ name, pid, script }) => [name, pid, script]);

longTest("it refuses files of the checkout that the release lacks, until each is shared or left", async () => {
  execFileSync(process.execPath, ["build.cjs"], { cwd: shop.checkout });
  await execute(rolloutApply, shop.ports, { environment: "production" }, caller);
  shop.publish({ "catalog.json": "{}" });
  writeFileSync(at("app.sqlite"), "orders");
  writeFileSync(at("notes.txt"), "mine");
  writeFileSync(at("catalog.json"), '{"changed":"by the app"}');
  const before = await processes();
  const error = await shop.refused();
  expect([error.kind, error.body.code]).toEqual(["DEPLOY_FAILED", "DEPLOY_UNDECIDED"]);
  expect(error.body.details).toBe(
    "web runs in the checkout, which has files that the release lacks:\n" +
      "  app.sqlite\n  notes.txt\n  catalog.json\nNothing that runs was touched.",
  );
  expect([await processes(), shop.current(), shop.releases()]).toEqual([before, null, []]);

  const project = readFileSync(at("svcm.yaml"), "utf8");
  const answers = "shared: [uploads, app.sqlite, catalog.json], left: [notes.txt], keep: 2";
  writeFileSync(at("svcm.yaml"), project.replace("shared: [uploads], keep: 2", answers));
  shop.git("add", "svcm.yaml");
  shop.git("commit", "--quiet", "--message", "what the releases share");
  shop.git("push", "--quiet");
  // A release that was prepared before is looked at again.
  await execute(deployPlan, shop.ports, { environment: "production" }, caller);
  writeFileSync(at("later.sqlite"), "");
  expect((await shop.refused()).body.details).toContain("\n  later.sqlite");
  rmSync(at("later.sqlite"));
  let first: Awaited<ReturnType<typeof shop.deploy>> | undefined;
  const load = await loadDuring(shop.port, async () => void (first = await shop.deploy()));
  expect([load.failed, load.perSecond > 190]).toEqual([0, true]);
  const { deploy } = first!;
  const folder = join(shop.root, "releases", deploy.id);
  expect(await shop.ports.processes.list()).toMatchObject([{ name: "web", script: join(folder, "app.cjs") }]);
  expect(await shop.answer()).toBe("1");
  expect(realpathSync(join(folder, "app.sqlite"))).toBe(at("app.sqlite"));
  expect(readFileSync(join(folder, "catalog.json"), "utf8")).toContain("by the app");
  // A file that appears later is not asked about: the apps run in a release.
  writeFileSync(at("later.txt"), "");
  shop.git("checkout", "--quiet", "--", ".");
  await shop.deploy();
});
