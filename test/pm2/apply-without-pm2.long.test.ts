import { execFile } from "node:child_process";
import { readFileSync, utimesSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { execute, releaseList, rolloutApply, rolloutPlan, SvcmError, type Ports } from "../../src/core/index.ts";
import type { ReleaseEvent } from "../../src/core/rollout/release.ts";
import { endProcesses, pm2, type Daemon, type Pm2 } from "../support/pm2-daemon.ts";

const PM2 = createRequire(import.meta.url).resolve("pm2/bin/pm2");
const caller = { source: "cli", grants: ["read", "write"] } as const;
let own: Pm2;
let ports: Ports;
let daemon: Daemon;

const app = (name: string, MODE: string) => ({ name, script: "./app.cjs", env: { MODE } });
const both = (mode: string) => [app("api", mode), app("web", mode)];

beforeAll(async () => {
  own = pm2();
  daemon = await own.startDaemon();
  ports = own.ports();
  writeFileSync(join(own.folder, "app.cjs"), 'require("node:http").createServer().listen(0, "127.0.0.1");');
  utimesSync(join(own.folder, "app.cjs"), 1e9, 1e9);
  writeFileSync(join(own.folder, "deployments.yaml"), "rollout: { minHealthyTime: 100ms }");
});
afterAll(() => own.end());
beforeEach(() => apply(both("1")));

const apply = (apps: readonly object[], world = ports) => {
  own.pm2Folder(apps);
  return execute(rolloutApply, world, { environment: "dev" }, caller);
};

const stepsLeft = async (): Promise<number> =>
  (await execute(rolloutPlan, ports, { environment: "dev" }, caller)).steps.length;

/** The same ports, with an action that runs when the journal has this number of lines. */
function atLine(line: number, happens: () => unknown): Ports {
  const { releases } = ports;
  let lines = 1;
  const add = async (id: string, event: ReleaseEvent): Promise<void> => {
    await releases.append(id, event);
    if ((lines += 1) === line) await happens();
  };
  return Object.create(ports, { releases: { value: { ...releases, append: add } } }) as Ports;
}

const refusalOf = (done: Promise<unknown>): Promise<unknown> =>
  done.then(
    () => "done",
    (error: unknown) => (error instanceof SvcmError ? error.kind : error),
  );

/** Two lines for each of three steps follow the first one. The last step is the save, after which PM2 has nothing to do. */
const LINES = [2, 3, 4, 5, 6];

test.each(LINES)(
  "a PM2 that freezes after line %i of the journal leaves a release half done, and does nothing later",
  async (line) => {
    const frozen = atLine(line, () => daemon.signal("SIGSTOP"));
    expect(await refusalOf(apply(both("2"), frozen))).toBe("APPLY_HALF");
    const records = readFileSync(join(own.home, "pm2.log"), "utf8");
    await daemon.signal("SIGCONT");
    // This answer shows that PM2 has processed all earlier calls.
    await ports.processes.list();
    expect(readFileSync(join(own.home, "pm2.log"), "utf8")).toBe(records);
    await expectHalfAndFinish();
  },
);

const byPm2 = (...args: string[]): Promise<unknown> => {
  const env = { PATH: process.env["PATH"], HOME: own.folder, PM2_HOME: own.home };
  return promisify(execFile)(process.execPath, [PM2, ...args], { env });
};

test.each(
  LINES.flatMap((line) => [
    { line, how: "killed", end: () => daemon.signal("SIGKILL") },
    { line, how: "ended by its own command", end: () => byPm2("kill") },
  ]),
)("a PM2 that is $how after line $line of the journal leaves a release half done", async ({ line, end }) => {
  expect(await refusalOf(apply(both("2"), atLine(line, end)))).toBe("APPLY_HALF");
  // Its apps outlive a killed daemon.
  endProcesses(own.home);
  daemon = await own.startDaemon();
  await expectHalfAndFinish();
});

async function expectHalfAndFinish(): Promise<void> {
  const [newest] = (await execute(releaseList, ports, {}, caller)).releases;
  expect(newest?.outcome).toBe("half");
  await apply(both("2"));
  expect(await stepsLeft()).toBe(0);
}

test("an app that is frozen before its step is ended by PM2, and the apply continues", async () => {
  const { pid } = (await ports.processes.list()).find(({ name }) => name === "web")!;
  const world = atLine(3, () => process.kill(pid!, "SIGSTOP"));
  expect((await apply(both("3"), world)).release?.outcome).toBe("applied");
  expect(await stepsLeft()).toBe(0);
});
