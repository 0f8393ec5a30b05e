/** A release that passes its health check and dies later, in fork mode and in a cluster. */
import { utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { freePort } from "../support/free-port.ts";
import { availabilityDuring } from "../support/requests.ts";
import { endsWith } from "../support/pm2-daemon.ts";
import { runningPm2 } from "../support/running-pm2.ts";
import { svcm } from "../support/svcm.ts";

const { own, ports } = runningPm2();

/** It dies after twenty seconds in MODE late, and in MODE fated as soon as a file of its pid exists. */
const APP = `
const { existsSync } = require("node:fs");
const { MODE, SVC_HTTP_PORT } = process.env;
const die = () => { ${endsWith('"lost the database"', 3)} };
if (MODE === "late") setTimeout(die, 20_000);
const look = () => (existsSync("${own.home}/fate-" + process.pid) ? die() : setTimeout(look, 20));
if (MODE === "fated") look();
const server = require("node:http").createServer((_, response) => response.end(JSON.stringify({ pid: process.pid })));
server.listen(Number(SVC_HTTP_PORT), "127.0.0.1");`;

beforeAll(() => {
  writeFileSync(join(own.folder, "app.cjs"), APP);
  utimesSync(join(own.folder, "app.cjs"), 1e9, 1e9);
});

const run = (...args: string[]) => svcm(args, { root: own.folder, env: { PM2_HOME: own.home } });
const apply = (...more: string[]) => run("apply", "--environment", "dev", "--yes", ...more);
const plan = async () => {
  const { code, stdout } = await run("plan", "--environment", "dev", "--exit-code", "--json");
  return { code, steps: (JSON.parse(stdout) as { steps: unknown[] }).steps.length };
};
const newest = async () => {
  const { stdout } = await run("releases", "list", "--json");
  return (JSON.parse(stdout) as { releases: { id: string; outcome: string; code?: string }[] }).releases[0]!;
};
const why = async () => (await run("why", "restapi")).stdout.replaceAll(/\s+/g, " ");
const running = async () => (await ports.processes.list()).map(({ pmId, pid, status }) => ({ pmId, pid, status }));

const MODES = [
  ["fork", {}],
  ["cluster", { exec_mode: "cluster", instances: 2 }],
] as const;

/** The good release runs, and the file declares the one that dies. */
async function declared(mode: object, dying: "fated" | "late"): Promise<number> {
  for (const record of await ports.processes.list()) await ports.processes.remove(record);
  writeFileSync(join(own.folder, "deployments.yaml"), "rollout: { minHealthyTime: 200ms }");
  const port = await freePort();
  const appIn = (MODE: string) => ({
    name: "restapi",
    script: "./app.cjs",
    env: { MODE, SVC_HTTP_PORT: `${port}` },
    ...mode,
  });
  own.pm2Folder([appIn("good")]);
  expect(await apply()).toMatchObject({ code: 0 });
  own.pm2Folder([appIn(dying)]);
  return port;
}

test.each(MODES)("%s: the release stays applied, svcm why names it, and a rollback reverts it", async (_, mode) => {
  const port = await declared(mode, "fated");
  expect(await apply("--min-healthy", "2s")).toMatchObject({ code: 0 });
  const release = await newest();
  expect(release.outcome).toBe("applied");
  expect(await why()).not.toContain(release.id);

  const [first] = await running();
  writeFileSync(join(own.home, `fate-${first?.pid}`), "");
  const time = String.raw`(?:\d+m )?\d+ ?s`;
  await expect
    .poll(why)
    .toMatch(
      new RegExp(
        `probably crash, exit code 3, .* lost the database .*It ended with exit code 3\\. .*It had run for ${time}\\. .*` +
          `The release ${release.id} was applied ${time} before this end\\. To undo it: svcm rollback ${release.id}`,
      ),
    );
  expect(await plan()).toEqual({ code: 0, steps: 0 });
  expect(await newest()).toEqual(release);

  expect(await run("rollback", release.id, "--yes")).toMatchObject({ code: 0 });
  const before = await running();
  expect(new Set(before.map(({ status }) => status))).toEqual(new Set(["online"]));
  const { pids } = await availabilityDuring(port, before.length, plan);
  expect(pids).toEqual(new Set(before.map(({ pid }) => pid)));
  expect(await plan()).toMatchObject({ code: 1 });
});

test.each(MODES)("%s: a minHealthyTime longer than its life reverts it", async (_, mode) => {
  const port = await declared(mode, "late");
  const before = await running();
  writeFileSync(join(own.folder, "deployments.yaml"), "rollout: { minHealthyTime: 25s, healthyDeadline: 15s }");
  const { code, stderr } = await apply();
  expect([code, stderr.replaceAll(/\s+/g, " ")]).toEqual([1, expect.stringContaining("It did not stay online")]);
  expect(await newest()).toMatchObject({ outcome: "reverted", code: "HEALTH_CRASHED" });
  const after = await running();
  expect(after.map(({ pmId, status }) => [pmId, status])).toEqual(before.map(({ pmId }) => [pmId, "online"]));
  // Only the first instance had the release.
  expect(after.slice(1)).toEqual(before.slice(1));
  const { pids } = await availabilityDuring(port, after.length, plan);
  expect(pids).toEqual(new Set(after.map(({ pid }) => pid)));
});
