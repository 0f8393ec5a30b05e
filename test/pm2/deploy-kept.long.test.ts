/** The way back over one, three and all kept deploys, and what no deploy removes. */
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, onTestFinished, test } from "vitest";
import { execute, rolloutPlan, rolloutRollback, SvcmError } from "../../src/core/index.ts";
import { caller, shopUnderPm2 } from "./deployed-shop.ts";

const KEEP = 5;
const shop = shopUnderPm2({ drainMs: 500 });
/** By version. */
const deployed: { readonly id: string; readonly release: string }[] = [];

async function deployNext(): Promise<void> {
  shop.publish({ VERSION: String(deployed.length) });
  const { deploy, release } = await shop.deploy();
  deployed.push({ id: deploy.id, release: release?.id ?? "" });
}

beforeAll(async () => {
  const project = readFileSync(join(shop.checkout, "svcm.yaml"), "utf8").replace("keep: 2", `keep: ${KEEP}`);
  shop.publish({ "svcm.yaml": project });
  for (let version = 0; version <= KEEP; version += 1) await deployNext();
});

test("a release in which a process works stays, and others beyond `keep` go", async () => {
  const used = deployed[1]!;
  const program = spawn("sleep", ["1000"], { cwd: join(shop.root, "releases", used.id), stdio: "ignore" });
  onTestFinished(() => void program.kill());
  expect(shop.releases()).toEqual(deployed.slice(1).map(({ id }) => id));
  await deployNext();
  await deployNext();
  // 0 went before, and 2 now.
  expect(shop.releases()).toEqual([used, ...deployed.slice(3)].map(({ id }) => id));
});

test.each([
  [1, KEEP + 2],
  [3, KEEP],
  [KEEP - 1, KEEP - 1],
])("a rollback over %i deploys brings code and configuration of then back", async (back, undone) => {
  const target = undone - 1;
  expect(KEEP + 2 - target).toBe(back);
  const release = await execute(rolloutRollback, shop.ports, { release: deployed[undone]!.release }, caller);
  expect(release.deploy?.id).toBe(deployed[target]!.id);
  expect([await shop.answer(), shop.current()]).toEqual([String(target), deployed[target]!.id]);
  const { changed } = await execute(rolloutPlan, shop.ports, { environment: "production" }, caller);
  expect(changed).toBe(false);
});

test("a rollback beyond the kept releases is refused, and touches nothing", async () => {
  const before = [await shop.answer(), shop.current(), (await shop.ports.processes.list()).map(({ pid }) => pid)];
  const refused = await execute(rolloutRollback, shop.ports, { release: deployed[3]!.release }, caller).catch(
    (error: unknown) => error,
  );
  expect(refused).toBeInstanceOf(SvcmError);
  expect(refused).toMatchObject({ body: { code: "RELEASE_GONE" } });
  expect([await shop.answer(), shop.current(), (await shop.ports.processes.list()).map(({ pid }) => pid)]).toEqual(
    before,
  );
});
