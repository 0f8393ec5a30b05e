/** Two apps under a real PM2, and ports with which something happens in the middle of their apply. */
import { execFile } from "node:child_process";
import { utimesSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, beforeEach } from "vitest";
import { execute, releaseList, rolloutApply, rolloutPlan, SvcmError, type Ports } from "../../src/core/index.ts";
import type { ReleaseEvent } from "../../src/core/rollout/release.ts";
import { start } from "../support/child.ts";
import { pm2, type Daemon } from "../support/pm2-daemon.ts";

export const caller = { source: "cli", grants: ["read", "write"] } as const;
const PM2 = createRequire(import.meta.url).resolve("pm2/bin/pm2");

/**
 * In MODE 2 it sends the signal to the process that a file names. With FAT it allocates memory when a file exists. It is ready when
 * the file in HELD exists, or immediately.
 */
const APP = `
const { existsSync, readFileSync } = require("node:fs");
if (process.env.FAT)
  setInterval(() => (globalThis.taken ??= existsSync(__dirname + "/fat") ? Buffer.alloc(3e8, 1) : undefined), 20);
const file = __dirname + "/interrupt";
if (process.env.MODE === "2" && existsSync(file)) process.kill(...readFileSync(file, "utf8").split(" ").map((word) => Number(word) || word));
const { HELD } = process.env;
const look = () => (HELD && !existsSync(HELD) ? setTimeout(look, 10) : process.send?.("ready"));
look();
require("node:http").createServer().listen(0, "127.0.0.1");`;

export const api = (MODE: string) => ({ name: "api", script: "./app.cjs", env: { MODE } });
export const web = (MODE: string) => ({ name: "web", script: "./app.cjs", env: { MODE } });

export const isStep = (step: number, phase: string) => (event: ReleaseEvent) =>
  event.event === "step" && event.step === step && event.phase === phase;

export const refusal = (done: Promise<unknown>): Promise<SvcmError> =>
  done.then(
    () => Promise.reject(new Error("it was not refused")),
    (error: unknown) => (error instanceof SvcmError ? error : Promise.reject(error as Error)),
  );

/** For a file of tests. Each test begins with the two apps in MODE 1. */
export function twoAppsUnderPm2() {
  const own = pm2();
  const ports = own.ports();
  const daemons: Daemon[] = [];
  const startDaemon = async (): Promise<void> =>
    void daemons.push(await own.startDaemon({ PM2_WORKER_INTERVAL: "100" }));
  beforeAll(async () => {
    await startDaemon();
    writeFileSync(join(own.folder, "app.cjs"), APP);
    utimesSync(join(own.folder, "app.cjs"), 1e9, 1e9);
    writeFileSync(join(own.folder, "deployments.yaml"), "rollout: { minHealthyTime: 100ms }");
  });
  afterAll(() => own.end());
  beforeEach(() => apply([api("1"), web("1")]));

  const apply = (apps: readonly object[], world = ports, signal?: AbortSignal) => {
    own.pm2Folder(apps);
    return execute(rolloutApply, world, { environment: "dev" }, { ...caller, ...(signal && { signal }) });
  };

  /** The same ports, with an action that runs when a line of the journal is on disk. */
  function when(isIt: (event: ReleaseEvent) => boolean, happens: () => unknown): Ports {
    const { releases } = ports;
    const add = async (id: string, event: ReleaseEvent): Promise<void> => {
      await releases.append(id, event);
      if (isIt(event)) await happens();
    };
    return Object.create(ports, { releases: { value: { ...releases, append: add } } }) as Ports;
  }

  /** The same ports, but each pause is longer than svcm waits for anything. */
  function withoutPatience(): Ports {
    let skippedMs = 0;
    const elapsed = (): number => ports.clock.elapsed() + skippedMs;
    const pause = async (ms: number): Promise<void> => {
      await ports.clock.sleep(ms);
      skippedMs += 60_000;
    };
    return Object.create(ports, { clock: { value: { ...ports.clock, elapsed, sleep: pause } } }) as Ports;
  }

  const stepsLeft = async (): Promise<number> =>
    (await execute(rolloutPlan, ports, { environment: "dev" }, caller)).steps.length;

  /** Runs PM2's own command line in a shell with one more variable. */
  const byPm2 = (...args: string[]): Promise<unknown> => {
    const env = { PATH: process.env["PATH"], HOME: own.folder, PM2_HOME: own.home, OF_THE_SHELL: "1" };
    return promisify(execFile)(process.execPath, [PM2, ...args], { env });
  };

  const recordOf = async (name: string) => (await ports.processes.list()).find((record) => record.name === name)!;

  const startApply = (...prefix: string[]) => {
    const svcm = join(import.meta.dirname, "../../bin/run.js");
    const flags = ["--environment", "dev", "--yes", "--json", "--root", own.folder];
    const env = { HOME: own.folder, PM2_HOME: own.home };
    return start([...prefix, process.execPath, svcm, "apply", ...flags], env);
  };

  const outcome = async (): Promise<string | undefined> =>
    (await execute(releaseList, ports, {}, caller)).releases[0]?.outcome;
  return {
    own,
    ports,
    daemon: () => daemons.at(-1)!,
    startDaemon,
    apply,
    when,
    withoutPatience,
    stepsLeft,
    byPm2,
    recordOf,
    startApply,
    outcome,
  };
}
