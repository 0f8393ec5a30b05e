/** PM2's daemon is killed during an apply, and comes back with what it had. Starts by svcm are recorded whatever made them. */
import { utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from "vitest";
import {
  bootRestore,
  daemonRenew,
  execute,
  releaseList,
  rolloutApply,
  rolloutPlan,
  rolloutRollback,
  rolloutRollbackPlan,
  type Ports,
  type SvcmError,
} from "../../src/core/index.ts";
import type { ReleaseEvent } from "../../src/core/rollout/release.ts";
import { IDLE, pm2, type Daemon } from "../support/pm2-daemon.ts";

const caller = { source: "cli", grants: ["read", "write", "act", "admin"] } as const;
const own = pm2();
const ports = own.ports();
const input = { environment: "dev" };
let daemon: Daemon;

beforeAll(async () => {
  daemon = await own.startDaemon();
});
afterAll(() => own.end());

/** The daemon is killed when the first step begins. */
function killedDaemon(world = ports, kill = () => daemon.signal("SIGKILL")): Ports {
  const { releases } = world;
  const append = async (id: string, event: ReleaseEvent): Promise<void> => {
    await releases.append(id, event);
    if (event.event === "step" && event.phase === "begun") await kill();
  };
  return Object.create(world, { releases: { value: { ...releases, append } } }) as Ports;
}

const refusal = (done: Promise<unknown>): Promise<SvcmError["body"]> =>
  done.then(
    () => ({}),
    (error: unknown) => (error as SvcmError).body,
  );

const declare = (MODE: string): void => own.pm2Folder([{ name: "web", script: "./app.cjs", env: { MODE } }]);

/** Without a record of the start, a file that was written since would be a change. */
async function isKnown(): Promise<boolean> {
  const path = join(own.folder, "app.cjs");
  utimesSync(path, new Date(), new Date());
  const { steps, unknown } = await execute(rolloutPlan, ports, input, caller);
  return steps.every(({ app }) => app === "") && unknown.length === 0;
}

test("a killed daemon is named with what brings its apps back, and no rollback begins without one", async () => {
  writeFileSync(join(own.folder, "deployments.yaml"), "rollout: { minHealthyTime: 100ms }");
  writeFileSync(join(own.folder, "app.cjs"), IDLE);
  declare("1");
  await execute(rolloutApply, ports, input, caller);
  declare("2");
  await execute(rolloutApply, ports, input, caller);
  declare("3");
  const half = await refusal(execute(rolloutApply, killedDaemon(), input, caller));
  // Without PM2's own module, which tests leave out, an app runs on.
  const pid = Number(/web \(pid (\d+)\)/.exec(half.details ?? "")?.[1]);
  expect([half.details, half.hint]).toEqual([
    expect.stringContaining(
      `PM2's daemon has ended. Without it, web (pid ${pid}) still runs, so a start would run the same app twice.`,
    ),
    `Read why: svcm why web. To go back: kill ${pid}; svcm boot restore`,
  ]);
  const { releases } = await execute(releaseList, ports, {}, caller);
  const absent = { code: "PM2_NOT_RUNNING" };
  expect(await refusal(execute(rolloutRollbackPlan, ports, {}, caller))).toMatchObject(absent);
  expect(await refusal(execute(rolloutRollback, ports, {}, caller))).toMatchObject(absent);
  expect(await execute(releaseList, ports, {}, caller)).toMatchObject({ releases });

  declare("2");
  process.kill(pid);
  await execute(bootRestore, ports, {}, caller);
  expect(await isKnown()).toBe(true);
});

test("a rollback, and a renewed daemon, record what they started", async () => {
  const { releases } = await execute(releaseList, ports, {}, caller);
  await execute(rolloutRollback, ports, { release: releases[1]?.id }, caller);
  declare("1");
  expect(await isKnown()).toBe(true);
  await execute(daemonRenew, ports, { goBack: false }, caller);
  expect(await isKnown()).toBe(true);
});

test("a start whose daemon ends meanwhile begins no other daemon, which would lack the other apps, and saves no list", async () => {
  const other = pm2();
  onTestFinished(() => other.end());
  const first = await other.startDaemon();
  const world = other.ports();
  writeFileSync(join(other.folder, "deployments.yaml"), "rollout: { minHealthyTime: 100ms }");
  writeFileSync(join(other.folder, "app.cjs"), IDLE);
  const app = (name: string) => ({ name, script: "./app.cjs", pmx: true });
  const kill = async (): Promise<void> => {
    await first.signal("SIGKILL");
    await vi.waitUntil(() => other.pids().length === 0, { timeout: 30_000 });
  };
  other.pm2Folder([app("web")]);
  await execute(rolloutApply, world, input, caller);
  other.pm2Folder([app("web"), app("added")]);
  const { details, hint } = await refusal(execute(rolloutApply, killedDaemon(world, kill), input, caller));
  expect([details, hint]).toEqual([
    expect.stringMatching(/^added: No PM2 daemon runs.* PM2's daemon has ended, and its apps with it\.$/),
    "Read why: svcm why added. To go back: svcm boot restore",
  ]);
  expect(other.pids()).toEqual([]);
  expect(await execute(releaseList, world, {}, caller)).toMatchObject({ releases: [{ outcome: "half" }, {}] });
  expect((await execute(bootRestore, world, {}, caller)).processes).toMatchObject([{ name: "web" }]);
});
