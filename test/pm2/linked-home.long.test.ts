/** A PM2_HOME that is reached by a link as well as by its real path, with a real PM2. */
import { symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { execute, rolloutApply, rolloutPlan } from "../../src/core/index.ts";
import { IDLE } from "../support/pm2-daemon.ts";
import { runningPm2 } from "../support/running-pm2.ts";

const caller = { source: "cli", grants: ["read", "write"] } as const;
const { own, ports } = runningPm2();

test("is one PM2: nothing to do, the same daemon, and the same place", async () => {
  const link = join(own.folder, "linked-home");
  symlinkSync(own.home, link);
  const linked = own.ports({ PM2_HOME: link });
  writeFileSync(join(own.folder, "idle.cjs"), IDLE);
  writeFileSync(join(own.folder, "deployments.yaml"), "rollout: { minHealthyTime: 100ms }");
  own.pm2Folder([
    { name: "real", script: "./idle.cjs" },
    { name: "link", script: "./idle.cjs" },
  ]);
  const apply = (app: string, world = ports) =>
    execute(rolloutApply, world, { environment: "dev", apps: [app], allowDirty: true }, caller);
  await apply("real");
  await apply("link", linked);
  for (const world of [ports, linked]) {
    const { steps, unchanged } = await execute(rolloutPlan, world, { environment: "dev" }, caller);
    expect([steps, unchanged]).toEqual([[], ["real", "link"]]);
    expect((await world.daemons.list())?.filter(({ isOwn }) => isOwn).map(({ home }) => home)).toEqual([own.home]);
  }
  expect(linked.workspace.pm2Home).toBe(own.home);
});
