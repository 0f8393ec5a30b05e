/** An app passes its gate, and ends before the last step of the deploy. */
import { expect } from "vitest";
import { deployRun, execute, rolloutPlan, rolloutRollback, SvcmError, type Ports } from "../../src/core/index.ts";
import type { ReleaseEvent } from "../../src/core/rollout/release.ts";
import { longTest } from "../support/runs.ts";
import { caller, shopUnderPm2 } from "./deployed-shop.ts";

const shop = shopUnderPm2();
const input = { environment: "production" };

/** The ports of a machine on which the app ends when PM2's list is to be saved. */
function endingAtLast(): Ports {
  const { releases, processes, clock } = shop.ports;
  const pidOf = async () => (await processes.list()).find(({ status }) => status === "online")?.pid;
  const append = async (id: string, event: ReleaseEvent): Promise<void> => {
    await releases.append(id, event);
    if (event.event !== "step" || event.step !== 1 || event.phase !== "begun") return;
    const pid = await pidOf();
    process.kill(pid ?? 0, "SIGKILL");
    while ([pid, undefined, null].includes(await pidOf())) await clock.sleep(20);
  };
  return Object.create(shop.ports, { releases: { value: { ...releases, append } } }) as Ports;
}

longTest("the deploy names the app, what runs, and the way back", async () => {
  const { deploy: first } = await shop.deploy();
  const commit = shop.publish({ VERSION: "2" }).slice(0, 7);
  const error: unknown = await execute(deployRun, endingAtLast(), input, caller).catch((refused: unknown) => refused);
  if (!(error instanceof SvcmError)) throw new Error("the deploy was not refused");
  const { kind, body } = error;
  expect([kind, body.code]).toEqual(["APPLY_HALF", "APP_CHANGED_LATER"]);
  expect(body.details).toBe(
    `Every step is done, but web ended after it was healthy. No app with a step runs as before.\ncurrent stays at ${first.id}, with which svcm plan and svcm apply compare.`,
  );
  const [, back] = /^Read why: svcm why web\. To go back: svcm rollback (\S+)$/.exec(body.hint ?? "") ?? [];
  expect([await shop.answer(), shop.current()]).toEqual(["2", first.id]);
  const { issues } = await execute(rolloutPlan, shop.ports, input, caller);
  expect(issues).toMatchObject([{ code: "DEPLOY_INTERRUPTED" }]);
  expect(issues[0]?.message).toContain(
    `The deploy of ${commit} ended half done: its apps run it, but one of them ended`,
  );
  await execute(rolloutRollback, shop.ports, { release: back }, caller);
  expect([await shop.answer(), shop.current()]).toEqual(["1", first.id]);
  expect(await execute(rolloutPlan, shop.ports, input, caller)).toMatchObject({ changed: false, issues: [] });
});
