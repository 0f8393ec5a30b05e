/** svcm is killed at random moments of applies, preflights, reverts and rollbacks. The next run finishes or reverts. */
import { utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  execute,
  releaseList,
  rolloutApply,
  rolloutPlan,
  rolloutRollback,
  SvcmError,
  type Ports,
} from "../../src/core/index.ts";
import { commandLine, start } from "../support/child.ts";
import { freePort } from "../support/free-port.ts";
import { pm2, type Pm2 } from "../support/pm2-daemon.ts";
import { unlisted } from "../support/unlisted.ts";
import { randomNumbers } from "../support/random.ts";

const caller = { source: "cli", grants: ["read", "write"] } as const;
const ROUNDS = Number(process.env["SVCM_KILL_ROUNDS"] ?? 200);
const SEED = Number(process.env["SVCM_KILL_SEED"] ?? Date.now() % 2 ** 31);
let own: Pm2;
let ports: Ports;
let daemon: number;
let port: number;

/** With BAD, the app answers each request with 500. */
const APP = `
const { BAD, SVC_HTTP_PORT } = process.env;
require("node:http").createServer((_, response) => {
  response.writeHead(BAD ? 500 : 200).end(JSON.stringify({ pid: process.pid }));
}).listen(Number(SVC_HTTP_PORT ?? 0), "127.0.0.1");`;

beforeAll(async () => {
  own = pm2();
  daemon = (await own.startDaemon()).pid;
  ports = own.ports();
  writeFileSync(join(own.folder, "app.cjs"), APP);
  utimesSync(join(own.folder, "app.cjs"), 1e9, 1e9);
  writeFileSync(join(own.folder, "deployments.yaml"), "rollout: { minHealthyTime: 100ms }");
  port = await freePort();
});
afterAll(() => own.end());

/** The apps of a round differ from those of the previous one, and every third round has one instance more. */
const appsOf = (round: number, more: object = {}) => [
  { name: "restapi", script: "./app.cjs", env: { SVC_HTTP_PORT: String(port), ROUND: String(round), ...more } },
  { name: "pool", script: "./app.cjs", exec_mode: "cluster", instances: round % 3 === 0 ? 2 : 1, args: String(round) },
];

async function stepsTo(apps: readonly object[]): Promise<number> {
  own.pm2Folder(apps);
  return (await execute(rolloutPlan, ports, { environment: "dev" }, caller)).steps.length;
}

async function apply(apps: readonly object[]): Promise<void> {
  own.pm2Folder(apps);
  // A lock that a killed process left behind would make this fail.
  await execute(rolloutApply, ports, { environment: "dev", lockTimeoutMs: 0 }, caller);
  expect(await stepsTo(apps)).toBe(0);
}

const newest = async () => (await execute(releaseList, ports, {}, caller)).releases[0];

const WORK = [
  ["apply", []],
  ["apply", ["preflight"]],
  ["bad", []],
  ["rollback", []],
] as const;

async function killed(operation: string, flags: readonly string[], afterMs: number): Promise<boolean> {
  const env = { HOME: own.folder, PM2_HOME: own.home };
  const child = start(commandLine("rollout", own.folder, operation, ...flags), env);
  await child.line();
  const timer = setTimeout(() => child.kill(), afterMs);
  const { signal } = await child.ended;
  clearTimeout(timer);
  return signal === "SIGKILL";
}

interface Round {
  readonly operation: string;
  readonly former: readonly object[];
  readonly apps: readonly object[];
  /** Identifies the round in a failure. */
  readonly at: string;
}

/** A release with the state `applied` must be applied, and one with `reverted` must have changed nothing. */
async function expectTruth({ operation, former, apps, at }: Round, outcome: string | undefined): Promise<void> {
  if (outcome === "applied") expect(await stepsTo(operation === "rollback" ? former : apps), at).toBe(0);
  if (outcome === "reverted") expect(await stepsTo(former), at).toBe(0);
}

/** Reverts or finishes, and returns the apps that run afterwards. */
async function ended({ operation, former, apps, at }: Round, mayGoBack: boolean, luck: number) {
  if (mayGoBack && (operation === "bad" || luck < 0.5)) {
    await execute(rolloutRollback, ports, { lockTimeoutMs: 0 }, caller).catch(unlessUnchanged);
    expect(await stepsTo(former), at).toBe(0);
    return former;
  }
  if (operation === "bad") return former;
  await apply(apps);
  return apps;
}

/** The release was killed before it changed an app. */
function unlessUnchanged(error: unknown): void {
  if (!(error instanceof SvcmError) || error.kind !== "NOTHING_TO_ROLL_BACK") throw error;
}

async function expectNothingLeft(at: string): Promise<void> {
  expect(await unlisted(own, ports, daemon), at).toEqual([]);
  const names = new Set((await ports.processes.list()).map(({ name }) => name));
  expect(names, at).toEqual(new Set(["restapi", "pool"]));
}

test(`${ROUNDS} kills, seed ${SEED}: the next run knows the state, and finishes or reverts`, async () => {
  const random = randomNumbers(SEED);
  let former: readonly object[] = appsOf(0);
  await apply(former);
  let cutOff = 0;
  let longestMs = 1000;
  for (let count = 1; count <= ROUNDS; count += 1) {
    const [operation, flags] = WORK[count % WORK.length]!;
    const apps = operation === "bad" ? appsOf(count, { BAD: "1" }) : appsOf(count);
    const round = { operation, former, apps, at: `round ${count}: ${operation} ${flags.join(" ")}, seed ${SEED}` };
    if (operation === "rollback") await apply(apps);
    else own.pm2Folder(apps);
    const last = await newest();
    const before = performance.now();
    if (await killed(operation, flags, random() * longestMs)) cutOff += 1;
    else longestMs = Math.max(longestMs, performance.now() - before);
    const release = await newest();
    const outcome = release?.id === last?.id ? undefined : release?.outcome;
    await expectTruth(round, outcome);
    former = await ended(round, operation !== "rollback" && outcome === "half", random());
    await expectNothingLeft(round.at);
  }
  expect(cutOff).toBeGreaterThan(ROUNDS / 4);
});
