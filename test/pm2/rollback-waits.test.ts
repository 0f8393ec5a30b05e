/** A rollback that waits for a deploy undoes what its caller saw, or nothing. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { execute, nodePorts, releaseList, rolloutRollback } from "../../src/core/index.ts";
import { waitForFile } from "../support/appeared.ts";
import { longTest } from "../support/runs.ts";
import { caller, shopUnderPm2 } from "./deployed-shop.ts";

const shop = shopUnderPm2();

longTest("after a deploy that failed meanwhile, the release before it is not undone instead", async () => {
  const app = readFileSync(join(shop.checkout, "app.cjs"), "utf8");
  await shop.deploy();
  shop.publish({ VERSION: "2" });
  await shop.deploy();
  const marker = join(shop.own.folder, "began");
  shop.publish({
    "app.cjs": `require("node:fs").writeFileSync(${JSON.stringify(marker)}, "");\n${app}`,
    VERSION: "crash",
  });
  const failing = shop.refused();
  await waitForFile(marker);
  const other = nodePorts({ root: shop.checkout, env: shop.env, cwd: shop.checkout });
  const refused = await execute(rolloutRollback, other, {}, caller).catch((error: unknown) => error);
  expect(await failing).toMatchObject({ kind: "APPLY_REVERTED" });
  expect(refused).toMatchObject({
    kind: "PLAN_STALE",
    body: {
      details: expect.stringMatching(
        /^While svcm waited, the release \S+ ended: it is reverted\. .*No process was touched\.$/,
      ),
    },
  });
  const { releases } = await execute(releaseList, other, {}, caller);
  expect(releases.map(({ outcome }) => outcome)).toEqual(["reverted", "applied", "applied"]);
  expect(await shop.answer()).toBe("2");
  await execute(rolloutRollback, other, {}, caller);
  expect(await shop.answer()).toBe("1");
  await other.logs.close();
  await other.processes.close();
});
