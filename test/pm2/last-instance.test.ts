/** A bad release never ends the last instance that answers, and a good one gets in while its app crash-loops. */
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { execute, processAct, rolloutApply, rolloutPlan, SvcmError, type Ports } from "../../src/core/index.ts";
import { freePort } from "../support/free-port.ts";
import { loadDuring } from "../support/http-load.ts";
import { IDLE, pm2, type Pm2 } from "../support/pm2-daemon.ts";
import { longTest } from "../support/runs.ts";

const caller = { source: "cli", grants: ["read", "write", "logs"] } as const;
let own: Pm2;
let ports: Ports;
let port: number;

/** `held` connections are answered before the process ends, as a graceful app does. */
const GOOD = (release: string): string => `
const server = require("node:http").createServer((_, response) => response.end(${JSON.stringify(release)}));
server.listen(PORT, "127.0.0.1", () => process.send?.("ready"));
process.on("SIGINT", () => {
  const isClosed = new Promise((resolve) => server.close(resolve));
  // A connection that the cluster has just passed to it is returned to the others, if it lives to answer.
  setTimeout(() => setImmediate(() => setImmediate(() => isClosed.then(() => process.exit(0)))), 500);
});`;
const BAD = `throw new Error("the new code does not start");`;

const release = (code: string): void => writeFileSync(join(own.folder, "app.cjs"), code.replace("PORT", String(port)));

const judgeFor = (time: string): void =>
  writeFileSync(join(own.folder, "deployments.yaml"), `rollout: { minHealthyTime: ${time}, healthyDeadline: 60s }`);

beforeAll(async () => {
  own = pm2();
  await own.startDaemon();
  ports = own.ports();
});
afterAll(async () => {
  await ports.logs.close();
  await own.end();
});

const WAITING = { exec_mode: "cluster", instances: 2, wait_ready: true, listen_timeout: 1000, kill_timeout: 3000 };
const CLUSTER = { exec_mode: "cluster", instances: 2, listen_timeout: 1000, kill_timeout: 3000 };
const MODES: [string, object][] = [
  ["a cluster", CLUSTER],
  ["a cluster that waits for ready", WAITING],
];

beforeEach(async () => {
  for (const record of await ports.processes.list()) await ports.processes.remove(record);
  judgeFor("300ms");
  port = await freePort();
});

const apply = () => execute(rolloutApply, ports, { environment: "dev" }, caller);
const plan = () => execute(rolloutPlan, ports, { environment: "dev" }, caller);
const refusal = (done: Promise<unknown>): Promise<SvcmError> =>
  done.then(
    () => expect.unreachable("the apply has succeeded"),
    (error: unknown) => {
      if (!(error instanceof SvcmError)) throw error;
      return error;
    },
  );

longTest.each(MODES)(
  "%s: further applies of a bad release lose no request, and the good one gets in",
  async (_, mode) => {
    release(GOOD("1"));
    own.pm2Folder([{ name: "web", script: "./app.cjs", ...mode }]);
    await apply();
    release(BAD);
    // The code is replaced in place, so nothing can bring the first instance back.
    expect((await refusal(apply())).kind).toBe("APPLY_HALF");
    const before = (await ports.processes.list()).map(({ pid }) => pid);
    const load = await loadDuring(
      () => port,
      async () => {
        for (let round = 0; round < 2; round += 1) {
          const { steps } = await plan();
          expect(steps.slice(0, 2)).toMatchObject([
            { do: "update", method: "restart", pmIds: [0], disruption: "none", why: [{ state: "failing" }] },
            { do: "update", method: "reload", pmIds: [1] },
          ]);
          expect((await refusal(apply())).kind).toBe("APPLY_REVERTED");
        }
        release(GOOD("2"));
        await apply();
      },
    );
    expect(load.failed).toBe(0);
    expect((await plan()).steps).toEqual([]);
    const after = (await ports.processes.list()).map(({ pid, status }) => [pid === before[1], status]);
    expect(after).toEqual([
      [false, "online"],
      [false, "online"],
    ]);
  },
);

const LOOPS: [string, object][] = [...MODES, ["a fork", { kill_timeout: 3000 }]];

longTest("a failed apply ends with the error of the process, and who holds its port", async () => {
  const other = await freePort();
  const listens = `require("node:http").createServer().listen(process.env.PORT, "127.0.0.1");`;
  writeFileSync(join(own.folder, "app.cjs"), listens);
  await own.run({ name: "holder", code: listens, env: { PORT: other } });
  own.pm2Folder([{ name: "web", script: "./app.cjs", env: { PORT: port } }]);
  await apply();
  // Much longer than the time until the crash.
  judgeFor("6s");
  own.pm2Folder([{ name: "web", script: "./app.cjs", env: { PORT: other } }]);
  const { kind, body } = await refusal(apply());
  expect([kind, body.details]).toEqual(["APPLY_REVERTED", expect.anything()]);
  expect(body.failure).toMatchObject({
    app: "web",
    errorLines: [expect.stringContaining(`EADDRINUSE: address already in use 127.0.0.1:${other}`)],
    port: { port: other, app: "holder" },
  });
  expect(body.details).toContain(`Port ${other} is taken by holder, pid `);
});

longTest.each(LOOPS)("%s: a good release gets in while the present one crash-loops", async (_, mode) => {
  release(BAD);
  await own.run({ name: "web", code: BAD, ...mode });
  release(GOOD("2"));
  own.pm2Folder([{ name: "web", script: "./app.cjs", ...mode }]);
  await expect
    .poll(async () => (await plan()).steps[0])
    .toMatchObject({
      do: "update",
      method: "restart",
      disruption: "down",
    });
  await apply();
  expect(await loadDuring(() => port, plan)).toMatchObject({ failed: 0 });
  expect((await plan()).steps).toEqual([]);
  expect(await ports.processes.unlistedPids()).toEqual([]);
});

test("while its script does not exist, as during a build, no step and no restart ends what answers", async () => {
  writeFileSync(join(own.folder, "app.cjs"), IDLE);
  own.pm2Folder([{ name: "web", script: "./app.cjs" }]);
  await apply();
  own.pm2Folder([{ name: "web", script: "./app.cjs", env: { MODE: "new" } }]);
  rmSync(join(own.folder, "app.cjs"));
  const [before] = await ports.processes.list();
  const missing = `the script ${join(own.folder, "app.cjs")}, which does not exist.`;
  expect((await plan()).issues).toEqual([
    expect.objectContaining({ code: "ECOSYSTEM_SCRIPT_MISSING", message: `The app "web" has ${missing}` }),
  ]);
  const attempts = [
    apply(),
    execute(processAct, ports, { action: "restart", name: "web" }, caller),
    execute(processAct, ports, { action: "reload", name: "web" }, caller),
    execute(processAct, ports, { action: "restart", scope: "ecosystem", name: "web", environment: "dev" }, caller),
  ];
  for (const { body } of await Promise.all(attempts.map(refusal)))
    expect(`${body.code} ${body.details} ${JSON.stringify(body.issues)}`).toContain(missing);
  expect(await ports.processes.list()).toMatchObject([{ pid: before?.pid, status: "online" }]);
});
