/** One checkout with two services and one root: a deploy of one of them leaves the other, and `current`, as they are. */
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { expect } from "vitest";
import { IDLE } from "../support/pm2-daemon.ts";
import { longTest } from "../support/runs.ts";
import {
  deployRun,
  execute,
  rolloutPlan,
  rolloutRollback,
  rolloutRollbackPlan,
  SvcmError,
} from "../../src/core/index.ts";
import type { ReleaseEvent } from "../../src/core/rollout/release.ts";
import { caller, shopUnderPm2 } from "./deployed-shop.ts";

const PM2 = createRequire(import.meta.url).resolve("pm2/bin/pm2");
const shop = shopUnderPm2();

const SERVICES = `services:
  shop: { ecosystem: { production: ecosystem.config.cjs }, env: { production: .env.production }, apps: [web], rollout: { minHealthyTime: 200ms } }
  jobs: { ecosystem: { production: ecosystem.config.cjs }, env: { production: .env.jobs }, apps: [worker], rollout: { minHealthyTime: 200ms } }
`;

/** The release in which each app works. */
async function releasesOf(): Promise<Record<string, string | undefined>> {
  const list = await shop.ports.processes.list();
  return Object.fromEntries(list.map(({ name, cwd }) => [name, cwd?.split("/").at(-1)]));
}

longTest("current moves when the last of the services runs the release", async () => {
  const at = (name: string): string => join(shop.checkout, name);
  const project = readFileSync(at("svcm.yaml"), "utf8").replace(/^(?:ecosystem|env|rollout):.*\n/gm, "");
  const ecosystem = readFileSync(at("ecosystem.config.cjs"), "utf8");
  writeFileSync(at("worker.cjs"), IDLE);
  writeFileSync(at(".env.jobs"), "PORT=1\n");
  shop.publish({
    "svcm.yaml": project.replace("deploy:", `${SERVICES}deploy:`).replace("keep: 2", "keep: 4"),
    "ecosystem.config.cjs": ecosystem.replace("] };", ', { name: "worker", script: "./worker.cjs", pmx: false }] };'),
  });
  const first = (await shop.deploy()).deploy;
  expect([await releasesOf(), shop.current()]).toEqual([{ web: first.id, worker: first.id }, first.id]);

  shop.publish({ VERSION: "2" });
  const { deploy: second, notes } = await shop.deploy({ service: "shop" });
  expect([await shop.answer(), await releasesOf()]).toEqual(["2", { web: second.id, worker: first.id }]);
  expect([shop.current(), second.current]).toEqual([first.id, false]);
  expect(notes.join("\n")).toContain(
    `current stays at ${first.id} until all services run ${second.commit.slice(0, 7)}. Until then, svcm plan and svcm apply compare with ${first.id}`,
  );
  expect(shop.releases()).toEqual([first.id, second.id]);

  // The release is prepared, and the settings of the other service have changed since.
  writeFileSync(at(".env.jobs"), "PORT=none\n");
  const { body } = await shop.refused({ service: "jobs" });
  expect([body.code, body.details]).toEqual([
    "DEPLOY_CHECK_FAILED",
    expect.stringMatching(
      /^svcm env check found errors in \.env\.jobs:\n[^]*PORT[^]*\nNothing that runs was touched\.$/,
    ),
  ]);
  expect([await releasesOf(), shop.current()]).toEqual([{ web: second.id, worker: first.id }, first.id]);
  writeFileSync(at(".env.jobs"), "PORT=2\n");
  const { deploy: third, release } = await shop.deploy({ service: "jobs" });
  expect([third.id, third.current, shop.current()]).toEqual([second.id, true, second.id]);
  expect(await releasesOf()).toEqual({ web: second.id, worker: second.id });
  // It was prepared for the other service.
  expect(readFileSync(join(shop.root, "releases", third.id, ".env.jobs"), "utf8")).toBe("PORT=2\n");

  // A newer deploy of each service has moved current since: a rollback of the older one leaves it to the other service.
  shop.publish({ VERSION: "3" });
  await shop.deploy({ service: "shop" });
  const { deploy: newest } = await shop.deploy({ service: "jobs" });
  const older = { release: release!.id };
  const { steps, current, stays, apart } = await execute(rolloutRollbackPlan, shop.ports, older, caller);
  expect([steps.map(({ app }) => app), current, stays?.apps, apart]).toEqual([
    ["worker"],
    undefined,
    ["web"],
    ["worker"],
  ]);
  await execute(rolloutRollback, shop.ports, older, caller);
  expect([shop.current(), await releasesOf()]).toEqual([newest.id, { web: newest.id, worker: first.id }]);
});

/** The refusal of a deploy during whose first step a user deletes `worker`, which has no step. */
async function withoutWorker(): Promise<SvcmError> {
  const { releases } = shop.ports;
  const append = async (id: string, event: ReleaseEvent): Promise<void> => {
    await releases.append(id, event);
    if (event.event === "step" && event.step === 0 && event.phase === "begun")
      execFileSync(process.execPath, [PM2, "delete", "worker"], { env: shop.env });
  };
  const world = Object.create(shop.ports, { releases: { value: { ...releases, append } } }) as typeof shop.ports;
  const input = { environment: "production" };
  const error: unknown = await execute(deployRun, world, input, caller).catch((refused: unknown) => refused);
  if (error instanceof SvcmError) return error;
  throw new Error("the deploy was not refused");
}

longTest("if another app ends meanwhile, current moves, and its step is that of the release", async () => {
  shop.publish({ VERSION: "4" });
  const { deploy } = await shop.deploy({ service: "jobs" });
  const { kind, body } = await withoutWorker();
  expect([kind, body.code, body.hint]).toEqual([
    "APPLY_HALF",
    "OTHER_APPS_CHANGED",
    "Read why: svcm why worker. Its step: svcm plan",
  ]);
  expect([shop.current(), await releasesOf()]).toEqual([deploy.id, { web: deploy.id }]);
  const { steps, issues } = await execute(rolloutPlan, shop.ports, { environment: "production" }, caller);
  expect([steps.map(({ do: kindOf, app }) => [kindOf, app]), issues]).toEqual([
    [
      ["start", "worker"],
      ["save", ""],
    ],
    [],
  ]);
  expect((await shop.deploy()).deploy).toMatchObject({ id: deploy.id, state: "done", current: true });
});
