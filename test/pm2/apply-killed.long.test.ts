/** svcm is killed before or after each line of an apply's journal. The next run finishes or reverts the apply. */
import { utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { execute, releaseList, rolloutApply, rolloutPlan, rolloutRollback, type Ports } from "../../src/core/index.ts";
import { commandLine, start } from "../support/child.ts";
import { pm2, type Pm2 } from "../support/pm2-daemon.ts";
import { unlisted } from "../support/unlisted.ts";

const caller = { source: "cli", grants: ["read", "write"] } as const;
const old = [
  { name: "api", script: "./app.cjs", env: { MODE: "1" } },
  { name: "gone", script: "./app.cjs", exec_mode: "cluster", instances: 1 },
];
const young = [
  { name: "api", script: "./app.cjs", env: { MODE: "2" }, kill_timeout: 3000 },
  { name: "gone", script: "./app.cjs", exec_mode: "cluster", instances: 2 },
];
/** The header, two lines for each of three steps, what they left, and the end. */
const LINES = 9;
const LAST_STEP = 7;
let own: Pm2;
let ports: Ports;
let daemon: number;

beforeAll(async () => {
  own = pm2();
  daemon = (await own.startDaemon()).pid;
  ports = own.ports();
  writeFileSync(join(own.folder, "app.cjs"), 'require("node:http").createServer().listen(0, "127.0.0.1");');
  writeFileSync(join(own.folder, "deployments.yaml"), "rollout: { minHealthyTime: 200ms }");
  utimesSync(join(own.folder, "app.cjs"), 1e9, 1e9);
});
afterAll(() => own.end());

const apply = (apps: readonly object[]) => {
  own.pm2Folder(apps);
  return execute(rolloutApply, ports, { environment: "dev" }, caller);
};

async function stepsTo(apps: readonly object[]): Promise<number> {
  own.pm2Folder(apps);
  return (await execute(rolloutPlan, ports, { environment: "dev" }, caller)).steps.length;
}

/** Applies `young` over `old` in a process that dies at a line. */
async function killedAt(line: number, when: "before" | "after"): Promise<string | null> {
  await apply(old);
  own.pm2Folder(young);
  const env = { HOME: own.folder, PM2_HOME: own.home };
  return (await start(commandLine("apply-and-die", own.folder, String(line), when), env).ended).signal;
}

test.each(Array.from({ length: LINES }, (_, index) => index + 1))(
  "after a kill after line %i, the next apply finishes",
  async (line) => {
    expect(await killedAt(line, "after")).toBe("SIGKILL");
    const [newest] = (await execute(releaseList, ports, {}, caller)).releases;
    expect(newest?.outcome).toBe(line >= LAST_STEP ? "applied" : "half");
    await apply(young);
    expect(await stepsTo(young)).toBe(0);
    expect(await unlisted(own, ports, daemon)).toEqual([]);
  },
  60_000,
);

test.each([3, 4, 5, 6, 7])(
  "after a kill before line %i, a rollback reverts every app",
  async (line) => {
    expect(await killedAt(line, "before")).toBe("SIGKILL");
    expect((await execute(rolloutRollback, ports, {}, caller)).outcome).toBe("applied");
    expect(await stepsTo(old)).toBe(0);
    expect(await unlisted(own, ports, daemon)).toEqual([]);
  },
  60_000,
);
