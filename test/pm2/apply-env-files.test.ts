/** A revert and a rollback restore the env file that a process had read, without changing the work tree. */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { get } from "node:http";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect } from "vitest";
import {
  execute,
  processAct,
  releaseList,
  rolloutApply,
  rolloutPlan,
  rolloutRollback,
  rolloutRollbackPlan,
  SvcmError,
  type Ports,
} from "../../src/core/index.ts";
import { freePort } from "../support/free-port.ts";
import { pm2, type Pm2 } from "../support/pm2-daemon.ts";
import { longTest } from "../support/runs.ts";

const caller = { source: "cli", grants: ["read", "write"] } as const;
const CANARY = "canary-51c7";
let own: Pm2;
let ports: Ports;
let port: number;

/** Healthy if its env file has LEVEL=info. */
const APP = `
const { LEVEL, SVC_HTTP_PORT } = process.env;
require("node:http").createServer((request, response) => {
  response.writeHead(LEVEL === "broken" ? 500 : 200).end(JSON.stringify({ level: LEVEL, pid: process.pid }));
}).listen(Number(SVC_HTTP_PORT), "127.0.0.1");`;

const envFile = (): string => join(own.folder, "api.env");
const setLevel = (level: string): void => writeFileSync(envFile(), `LEVEL=${level}\nTOKEN=${CANARY}\n`);

beforeAll(async () => {
  own = pm2();
  await own.startDaemon();
  ports = own.ports();
  writeFileSync(join(own.folder, "app.cjs"), APP);
  writeFileSync(join(own.folder, "deployments.yaml"), "rollout: { minHealthyTime: 200ms, healthyDeadline: 60s }");
  port = await freePort();
});
afterAll(() => own.end());
beforeEach(async () => {
  setLevel("info");
  await apply({ args: "x" });
  await apply();
});

const declared = (more: object = {}): object[] => {
  const env = { SVC_HTTP_PORT: String(port) };
  return [{ name: "restapi", script: "./app.cjs", node_args: "--env-file=api.env", env, ...more }];
};

const apply = (more: object = {}) => {
  own.pm2Folder(declared(more));
  return execute(rolloutApply, ports, { environment: "dev" }, caller);
};

const planNow = () => execute(rolloutPlan, ports, { environment: "dev" }, caller);

const level = (): Promise<string> =>
  new Promise((resolve, reject) => {
    get({ host: "127.0.0.1", port, path: "/", agent: false }, (response) => {
      let text = "";
      response.on("data", (chunk: Buffer) => (text += chunk.toString()));
      response.once("end", () => resolve((JSON.parse(text) as { level: string }).level));
    }).once("error", reject);
  });

longTest(
  "after an invalid line in an env file, the process reads a copy of the old file again, and the plan says so",
  async () => {
    setLevel("broken");
    const refused = await apply().catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(SvcmError);
    expect((refused as SvcmError).kind).toBe("APPLY_REVERTED");
    expect((refused as SvcmError).message).toContain("With the former env files: restapi.");
    expect(await level()).toBe("info");
    expect(readFileSync(envFile(), "utf8")).toContain("LEVEL=broken");
    const { steps } = await planNow();
    expect(steps[0]).toMatchObject({ do: "update", app: "restapi" });
    expect(steps[0]?.notes).toContain("PINNED");
    setLevel("debug");
    await apply();
    expect(await level()).toBe("debug");
    expect((await planNow()).steps).toEqual([]);
  },
);

const refusedApply = (): Promise<unknown> => apply().catch((error: unknown) => error);

longTest("after a restart by svcm, a revert and a rollback bring back what the process had read then", async () => {
  setLevel("debug");
  await execute(processAct, ports, { action: "restart", name: "restapi" }, caller);
  setLevel("broken");
  expect((await planNow()).steps[0]?.notes).not.toContain("ENV_FILE_UNKNOWN_BEFORE");
  const refused = (await refusedApply()) as SvcmError;
  expect(refused.message).toContain("Every touched app runs as before. With the former env files: restapi.");
  expect(await level()).toBe("debug");
  setLevel("trace");
  await apply();
  await execute(rolloutRollback, ports, {}, caller);
  expect(await level()).toBe("debug");
});

longTest("after a restart by hand, what the process had read comes back while the file is as it was", async () => {
  setLevel("debug");
  await restartByHand();
  await apply({ args: "y" });
  setLevel("trace");
  await apply({ args: "y" });
  await execute(rolloutRollback, ports, {}, caller);
  expect(await level()).toBe("debug");
});

longTest("after a restart by hand and another change, svcm says that the former values are not known", async () => {
  setLevel("debug");
  await restartByHand();
  setLevel("broken");
  expect((await planNow()).steps[0]?.notes).toContain("ENV_FILE_UNKNOWN_BEFORE");
  const refused = (await refusedApply()) as SvcmError;
  expect(refused.message).toContain(
    "Every touched app has its former definition again. With svcm's last copy of the env files, which may differ from what ran: restapi. Check the files, which the next apply reads.",
  );
  expect(await level()).toBe("info");
  setLevel("trace");
  await apply();
  setLevel("debug");
  await restartByHand();
  setLevel("trace");
  expect((await apply()).release?.cannotUndo).toEqual([{ app: "restapi", what: "envFile" }]);
  expect((await execute(rolloutRollbackPlan, ports, {}, caller)).steps[0]).toMatchObject({ mayDiffer: true });
});

async function restartByHand(): Promise<void> {
  for (const record of await ports.processes.list()) await ports.processes.restart(record);
}

longTest("restarts without end leave one copy of an env file", async () => {
  const [{ id } = { id: "" }] = (await execute(releaseList, ports, {}, caller)).releases;
  const folder = dirname(ports.releases.recordsFile(id));
  const copies = (): number => readdirSync(join(folder, "env")).length;
  const first = copies();
  for (const name of ["debug", "trace", "debug", "trace"]) {
    setLevel(name);
    await execute(processAct, ports, { action: "restart", name: "restapi" }, caller);
  }
  expect(copies()).toBe(first + 1);
});

longTest("a rollback runs with the env file from before the release", async () => {
  setLevel("debug");
  await apply();
  expect(await level()).toBe("debug");
  const plan = await execute(rolloutRollbackPlan, ports, {}, caller);
  expect(plan).toMatchObject({ changed: true, steps: [{ app: "restapi", pinned: true, disruption: "gap" }] });
  await execute(rolloutRollback, ports, { plan: plan.id }, caller);
  expect(await level()).toBe("info");
  expect(readFileSync(envFile(), "utf8")).toContain("LEVEL=debug");
  expect((await planNow()).steps[0]?.notes).toContain("PINNED");
});

longTest("the copy that a pinned process reads is kept, regardless of how many releases follow", async () => {
  setLevel("debug");
  await apply();
  await execute(rolloutRollback, ports, {}, caller);
  for (let count = 0; count < 11; count += 1) {
    const id = `20990101-0000${String(count).padStart(2, "0")}-abcd`;
    await ports.releases.create(id, { event: "end", outcome: "applied", at: "" });
  }
  own.pm2Folder([...declared(), { name: "other", script: "./app.cjs", env: { SVC_HTTP_PORT: "0" } }]);
  await execute(rolloutApply, ports, { environment: "dev", apps: ["other"] }, caller);
  await execute(processAct, ports, { action: "restart", name: "restapi" }, caller);
  expect(await level()).toBe("info");
});

longTest("a plan names the env file that has no former copy", async () => {
  const list = await ports.processes.list();
  for (const record of list) await ports.processes.remove(record);
  await own.startDeclared("restapi");
  const other = own.ports();
  const releases = { ...other.releases, list: () => Promise.resolve([]) };
  const fresh = Object.create(other, { releases: { value: releases } }) as Ports;
  setLevel("debug");
  const { steps } = await execute(rolloutPlan, fresh, { environment: "dev" }, caller);
  expect(steps[0]?.notes).toContain("ENV_FILE_UNKNOWN_BEFORE");
});

longTest("a plan is out of date when the env file of one of its steps is edited again", async () => {
  setLevel("debug");
  const { id } = await planNow();
  setLevel("broken");
  const refused = await execute(rolloutApply, ports, { environment: "dev", plan: id! }, caller).catch(
    (error: unknown) => error,
  );
  expect(refused).toMatchObject({ kind: "PLAN_STALE" });
  expect(await level()).toBe("info");
});

longTest("neither a plan nor a journal holds a value of an env file", async () => {
  setLevel("debug");
  const { plan, release } = await apply();
  const journals = await ports.releases.list();
  expect(JSON.stringify([plan, release, journals])).not.toContain(CANARY);
});
