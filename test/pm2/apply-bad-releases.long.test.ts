import { utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { execute, releaseList, rolloutApply } from "../../src/core/index.ts";
import { definitionText } from "../../src/core/rollout/plan.ts";
import { freePort } from "../support/free-port.ts";
import { runningPm2 } from "../support/running-pm2.ts";
import { isResponding, loadDuring, SERVER } from "../support/requests.ts";
import { svcm } from "../support/svcm.ts";

const caller = { source: "cli", grants: ["read", "write"] } as const;
const { own, ports } = runningPm2();
let port: number;

beforeAll(async () => {
  writeFileSync(join(own.folder, "app.cjs"), SERVER);
  utimesSync(join(own.folder, "app.cjs"), 1e9, 1e9);
  writeFileSync(join(own.folder, "deployments.yaml"), "rollout: { minHealthyTime: 500ms, healthyDeadline: 5s }");
  port = await freePort();
});

const declare = (MODE: string, more: object): void =>
  own.pm2Folder([
    {
      name: "restapi",
      script: "./app.cjs",
      listen_timeout: 10_000,
      env: { MODE, SVC_HTTP_PORT: String(port) },
      ...more,
    },
  ]);

const FORK = {};
const CLUSTER = { exec_mode: "cluster", instances: 2 };

const cases = [FORK, CLUSTER].flatMap((mode) =>
  ["crash", "bad", "silent"].flatMap((release) =>
    [false, true].map((isTried) => ({
      mode,
      release,
      isTried,
      title: `${release}, ${mode === FORK ? "fork" : "cluster"}, ${isTried ? "with" : "without"} a preflight`,
    })),
  ),
);

test.each(cases)("$title: everything runs as before, and svcm exits 1", async ({ mode, release, isTried }) => {
  declare("good", mode);
  await execute(rolloutApply, ports, { environment: "dev" }, caller);
  const before = await ports.processes.list();
  declare(release, mode);
  const flags = ["apply", "--environment", "dev", "--yes", ...(isTried ? ["--preflight"] : [])];
  let code: number | null = null;
  const lost = await loadDuring(port, async () => {
    ({ code } = await svcm(flags, { root: own.folder, env: { PM2_HOME: own.home } }));
  });
  expect(code).toBe(1);
  const [newest] = (await execute(releaseList, ports, {}, caller)).releases;
  expect(newest?.outcome).toBe(isTried ? "refused" : "reverted");
  const after = await ports.processes.list();
  expect(after.map(definitionText)).toEqual(before.map(definitionText));
  expect(await isResponding(port)).toBe(true);
  if (isTried) expect(after.map(({ pid }) => pid)).toEqual(before.map(({ pid }) => pid));
  if (isTried || (mode === CLUSTER && release !== "bad")) expect(lost.failed).toBe(0);
  console.log(`${lost.failed} of ${lost.sent} requests failed, for ${lost.downMs.toFixed(0)} ms`);
});
