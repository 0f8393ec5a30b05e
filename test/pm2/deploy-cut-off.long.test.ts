/** A deploy that ended in the middle of its apply, the one that finishes it, and the way back over both. */
import { mkdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { deployRun, execute, releaseList, rolloutPlan, rolloutRollback } from "../../src/core/index.ts";
import type { ReleaseEvent } from "../../src/core/rollout/release.ts";
import { commandLine, start } from "../support/child.ts";
import { caller, shopUnderPm2 } from "./deployed-shop.ts";

const shop = shopUnderPm2({ drainMs: 500 });
const input = { environment: "production" };
let former: string | null = null;

beforeAll(async () => {
  await shop.deploy();
  former = shop.current();
});

/** As a kill after the app has moved, and before that is recorded. */
async function deployCutOff(): Promise<void> {
  const { releases } = shop.ports;
  const append = async (id: string, event: ReleaseEvent): Promise<void> => {
    if (event.event === "step" && event.phase === "done") throw new Error("killed");
    await releases.append(id, event);
  };
  const world = Object.create(shop.ports, { releases: { value: { ...releases, append } } }) as typeof shop.ports;
  await expect(execute(deployRun, world, input, caller)).rejects.toThrow("killed");
}

/** Returns what the plan says of deploys that were cut off. */
async function cutOff(): Promise<string[]> {
  const { issues } = await execute(rolloutPlan, shop.ports, input, caller);
  return issues.flatMap(({ code, message }) => (code === "DEPLOY_INTERRUPTED" ? [message] : []));
}

test("a rollback of the deploy that finished it brings the code before both back", async () => {
  shop.publish({ VERSION: "2" });
  await deployCutOff();
  expect([await shop.answer(), shop.current()]).toEqual(["2", former]);
  const { release, deploy } = await shop.deploy();
  expect(release?.steps).toMatchObject([{ do: "save" }]);
  expect([await shop.answer(), shop.current()]).toEqual(["2", deploy.id]);
  const back = await execute(rolloutRollback, shop.ports, { release: release!.id }, caller);
  expect(back).toMatchObject({ outcome: "applied", undoes: release!.id, deploy: { id: former } });
  expect([await shop.answer(), shop.current()]).toEqual(["1", former]);
  expect((await execute(rolloutPlan, shop.ports, input, caller)).changed).toBe(false);
});

test("a timer leaves the commit alone afterwards, and the rollback can be undone", async () => {
  expect((await shop.refused({ retry: false })).body.code).toBe("DEPLOY_TRIED");
  await execute(rolloutRollback, shop.ports, {}, caller);
  expect(await shop.answer()).toBe("2");
  const { releases } = await execute(releaseList, shop.ports, {}, caller);
  expect(releases.map(({ outcome }) => outcome)).toEqual(["applied", "applied", "applied", "half", "applied"]);
});

test.each(["command", "apply"])(
  "without a record of its act, nothing is recovered after a kill at %s",
  async (event) => {
    shop.publish({ VERSION: event });
    const env = { HOME: shop.own.folder, PM2_HOME: shop.own.home };
    const child = start(commandLine("deploy-and-die", shop.checkout, event, "after"), env);
    expect((await child.ended).signal).toBe("SIGKILL");
    expect(await cutOff()).toEqual([expect.stringContaining("; nothing that runs was touched. To deploy it: ")]);
    const pids = async () => (await shop.ports.processes.list()).map(({ pid, script }) => [pid, script]);
    const before = [shop.releases(), shop.current(), await pids()];
    const records = join(shop.checkout, ".svcm/audit.jsonl");
    renameSync(records, `${records}.kept`);
    mkdirSync(records);
    expect((await shop.refused()).kind).toBe("AUDIT_FAILED");
    expect([shop.releases(), shop.current(), await pids()]).toEqual(before);
    rmSync(records, { recursive: true });
    renameSync(`${records}.kept`, records);
    expect((await shop.deploy()).deploy).toMatchObject({ state: "done", current: true });
  },
);

test("after its rollback, neither the plan nor the next deploy calls a cut-off deploy unfinished", async () => {
  const before = [await shop.answer(), shop.current()];
  shop.publish({ VERSION: "returned" });
  await deployCutOff();
  expect(await cutOff()).toEqual([expect.stringContaining("some apps may run it")]);
  await execute(rolloutRollback, shop.ports, {}, caller);
  expect([await shop.answer(), shop.current()]).toEqual(before);
  expect(await cutOff()).toEqual([]);
  const { notes, deploy } = await shop.deploy();
  expect(notes).toEqual([]);
  expect([await shop.answer(), shop.current()]).toEqual(["returned", deploy.id]);
});
