/** svcm's start of an ecosystem file, compared with that of PM2's command line. */
import { execFile } from "node:child_process";
import { mkdirSync, readFileSync, readlinkSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect } from "vitest";
import {
  ecosystemCheck,
  ecosystemDrift,
  ecosystemShow,
  execute,
  processAct,
  rolloutPlan,
  type Ports,
} from "../../src/core/index.ts";
import { IDLE, pm2, type Pm2 } from "../support/pm2-daemon.ts";
import { withQuickClock } from "../support/quick-clock.ts";
import { listRawProcesses } from "../support/raw-list.ts";
import { firstOrAll, longTest } from "../support/runs.ts";

const PM2 = createRequire(import.meta.url).resolve("pm2/bin/pm2");
const CANARY = "canary-of-the-shell-4711";
const caller = { source: "cli", grants: ["read", "write"] } as const;
let own: Pm2;
let orders: string;

/** Two services, each with its own folder in which PM2 runs. In `qa`, they share an ecosystem file. */
const PROJECT = `version: 1
environments: { dev: [], qa: [] }
services:
${["orders", "users"].map(serviceText).join("\n")}
`;

function serviceText(name: string): string {
  const ecosystem = "{ dev: { file: ecosystem.config.cjs }, qa: { file: ../shared.config.cjs, cwd: .. } }";
  return `  ${name}: { folder: ${name}, ecosystem: ${ecosystem} }`;
}

beforeAll(() => {
  own = pm2();
  writeFileSync(join(own.folder, "svcm.yaml"), PROJECT);
  for (const service of ["orders", "users"]) {
    mkdirSync(join(own.folder, service, "sub"), { recursive: true });
    for (const path of ["idle.cjs", "sub/idle.cjs"]) writeFileSync(join(own.folder, service, path), IDLE);
  }
  orders = join(own.folder, "orders/ecosystem.config.cjs");
  declare("orders", [{ name: "orders-api", script: "./idle.cjs" }]);
  declare("users", [{ name: "users-api", script: "./idle.cjs" }]);
});
afterAll(() => own.end());

function declare(service: string, apps: readonly object[]): void {
  writeFileSync(join(own.folder, service, "ecosystem.config.cjs"), `module.exports = ${JSON.stringify({ apps })};`);
}

const act = (action: "start" | "restart", service: string, name: string, ports: Ports = withQuickClock(own.ports())) =>
  execute(processAct, ports, { action, scope: "ecosystem", service, name, environment: "dev" }, caller);

/** The variables of a process, except those with its name or number. */
async function variablesOf(name: string): Promise<Record<string, string>> {
  const pid = (await listRawProcesses(own.home)).find((listed) => listed.name === name)?.pid ?? 0;
  const lines = readFileSync(`/proc/${pid}/environ`, "utf8").split("\0");
  const all = lines.filter(Boolean).map((line) => line.split(/=(.*)/s).slice(0, 2) as [string, string]);
  return Object.fromEntries(all.filter(([key, value]) => key !== name && !value.includes(name)));
}

longTest("a daemon that svcm starts runs in the folder in which the team runs PM2", async () => {
  await act("start", "orders", "orders-api");
  const daemon = Number(readFileSync(join(own.home, "pm2.pid"), "utf8"));
  expect(readlinkSync(`/proc/${daemon}/cwd`)).toBe(join(own.folder, "orders"));
});

const folders = [
  ["without a folder", {}],
  ["with a relative folder", { cwd: "./sub" }],
] as const;

longTest.each(firstOrAll(folders))(
  "an app %s has no variable that PM2's own start does not set, and keeps its folder after a restart",
  async (how, fields) => {
    const [mine, theirs] = ["svcm", "pm2"].map((by) => `${by}-${how.replaceAll(" ", "-")}`) as [string, string];
    declare(
      "orders",
      [mine, theirs].map((name) => ({ name, script: "./idle.cjs", env: { MODE: "1" }, ...fields })),
    );
    const env = { PATH: process.env["PATH"], HOME: own.folder, PM2_HOME: own.home };
    const cwd = join(own.folder, "orders");
    await promisify(execFile)(process.execPath, [PM2, "start", orders, "--only", theirs], {
      env: { ...env, PWD: cwd },
      cwd,
    });
    const given = await variablesOf(theirs);
    const kept = ({ PWD, cwd: folder }: Record<string, string>): unknown => ({ PWD, folder });
    await act("start", "orders", mine);
    const variables = await variablesOf(mine);
    expect(Object.keys(variables).filter((key) => !(key in given))).toEqual([]);
    expect(kept(variables)).toEqual(kept(given));
    await act("restart", "orders", mine);
    expect(kept(await variablesOf(mine))).toEqual(kept(given));
  },
);

longTest(
  "a start and a restart name the secrets of the shell that the ecosystem file reads, without their values",
  async () => {
    const text = `const password = process.env.DB_PASSWORD || "fallback";
    module.exports = { apps: [{ name: "secretive", script: "./idle.cjs", env: { DB: password, MODE: process.env.MODE } }] };`;
    writeFileSync(orders, text);
    const ports = own.ports({ DB_PASSWORD: CANARY, UNREAD_PASSWORD: CANARY, MODE: "1" });
    for (const action of ["start", "restart"] as const) {
      const { warnings } = await act(action, "orders", "secretive", ports);
      expect(warnings).toMatchObject([
        {
          code: "ECOSYSTEM_VARIABLE_WITHHELD",
          severity: "warning",
          message: expect.stringContaining("does not pass on: DB_PASSWORD.") as string,
        },
      ]);
      expect(JSON.stringify(warnings)).not.toContain(CANARY);
    }
    expect(await variablesOf("secretive")).toMatchObject({ DB: "fallback", MODE: "1" });
  },
);

longTest("drift and the plan of one service exclude the processes of the other services", async () => {
  declare("orders", [{ name: "orders-api", script: "./idle.cjs" }]);
  await act("start", "users", "users-api");
  const driftOf = async (service?: string): Promise<unknown> => {
    const query = { environment: "dev", ...(service !== undefined && { service }) };
    const { unexpected, drift } = await execute(ecosystemDrift, own.ports(), query, caller);
    return { unexpected, drift };
  };
  expect(await driftOf("users")).toEqual({ unexpected: [], drift: [] });
  const plan = await execute(rolloutPlan, own.ports(), { environment: "dev", service: "users" }, caller);
  expect(plan).toMatchObject({ unchanged: ["users-api"], undeclared: [] });
  expect(await driftOf()).toMatchObject({ unexpected: expect.arrayContaining(["secretive"]) as unknown });
});

longTest("an operation runs an ecosystem file once for all services, and a check again at a later time", async () => {
  const log = join(own.folder, "runs");
  const apps = ["counted-1", "counted-2"].map((name) => ({ name, script: "./orders/idle.cjs" }));
  writeFileSync(
    join(own.folder, "shared.config.cjs"),
    `require("node:fs").appendFileSync(${JSON.stringify(log)}, "x"); module.exports = ${JSON.stringify({ apps })};`,
  );
  const place = { environment: "qa" };
  const scope = "ecosystem";
  const names = ["counted-1"];
  const operations = {
    show: () => execute(ecosystemShow, own.ports(), place, caller),
    check: () => execute(ecosystemCheck, own.ports(), place, caller),
    plan: () => execute(rolloutPlan, own.ports(), place, caller),
    start: () => execute(processAct, own.ports(), { ...place, action: "start", scope, names }, caller),
    restart: () => execute(processAct, own.ports(), { ...place, action: "restart", scope, names }, caller),
    drift: () => execute(ecosystemDrift, own.ports(), place, caller),
  };
  const runs: Record<string, string> = {};
  for (const [name, run] of Object.entries(operations)) {
    writeFileSync(log, "");
    await run();
    runs[name] = readFileSync(log, "utf8");
  }
  expect(runs).toEqual({ show: "x", check: "xx", plan: "xx", start: "x", restart: "x", drift: "xx" });
});
