/** An apply checks the health of each process, and restores the previous definition if a check fails. */
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, get } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, vi } from "vitest";
import { execute, releaseList, rolloutApply, rolloutPlan, SvcmError, type Ports } from "../../src/core/index.ts";
import { freePort } from "../support/free-port.ts";
import type { ProcessRecord } from "../../src/core/pm2/process-record.ts";
import type { ReleaseEvent } from "../../src/core/rollout/release.ts";
import { pm2, type Pm2 } from "../support/pm2-daemon.ts";
import { GATED_APP } from "./gated-app.ts";
import { firstOrAll, longTest } from "../support/runs.ts";

const caller = { source: "cli", grants: ["read", "write"] } as const;
let own: Pm2;
let ports: Ports;
let port: number;

beforeAll(async () => {
  own = pm2();
  await own.startDaemon();
  ports = own.ports();
  writeFileSync(join(own.folder, "app.cjs"), GATED_APP);
  port = await freePort();
  writeFileSync(join(own.folder, "deployments.yaml"), "rollout: { minHealthyTime: 300ms, healthyDeadline: 60s }");
});
afterAll(() => own.end());
beforeEach(() => apply("good"));

const declare = (MODE: string, more: object = {}): void =>
  own.pm2Folder([{ name: "restapi", script: "./app.cjs", env: { MODE, SVC_HTTP_PORT: String(port) }, ...more }]);

const apply = (MODE: string, more: object = {}, preflight = false, given = ports) => {
  declare(MODE, more);
  const world = MODE === "silent" ? impatient() : given;
  return execute(rolloutApply, world, { environment: "dev", preflight }, caller);
};

/** The same ports, but a minute passes when the tenth probe has no answer. */
function impatient(): Ports {
  const { clock, health } = ports;
  let unanswered = 0;
  const ask: typeof health.check = async (probe) => {
    const answer = await health.check(probe);
    if (answer.state === "unhealthy" && answer.code === "HEALTH_UNREACHABLE") unanswered += 1;
    return answer;
  };
  const elapsed = (): number => clock.elapsed() + (unanswered < 10 ? 0 : 60_000);
  const changed = { clock: { ...clock, elapsed }, health: { ...health, check: ask } };
  return { ...ports, ...changed };
}

/** The same ports, but the first check of each launch returns the moment before, when PM2 lists the process as stopped. */
function betweenLaunches(): Ports {
  const { processes } = ports;
  const observed = new Set<number | null>();
  const asBefore = (record: ProcessRecord): ProcessRecord => {
    const isNew = record.status === "launching" && !observed.has(record.pid);
    observed.add(record.pid);
    return isNew ? { ...record, status: "stopped" } : record;
  };
  const keyed: typeof processes.withHomeKey = async () => {
    const found = await processes.withHomeKey();
    return { ...found, list: async (signal) => (await found.list(signal)).map(asBefore) };
  };
  return { ...ports, processes: { ...processes, withHomeKey: keyed } };
}

const refusal = (done: Promise<unknown>): Promise<unknown> =>
  done.then(
    () => "done",
    (error: unknown) => (error instanceof SvcmError ? `${error.kind} ${error.body.code}: ${error.message}` : error),
  );

/** The mode of the process that answers. */
const served = (): Promise<string> =>
  new Promise((resolve, reject) => {
    get({ host: "127.0.0.1", port, path: "/", agent: false }, (response) => {
      let text = "";
      response.on("data", (chunk: Buffer) => (text += chunk.toString()));
      response.once("end", () => resolve((JSON.parse(text) as { mode: string }).mode));
    }).once("error", reject);
  });

const failing = [
  ["answers with 500", "bad", "HEALTH_STATUS", "answered with status 500"],
  ["does not listen", "silent", "HEALTH_UNREACHABLE", "has no answer: ECONNREFUSED"],
  ["dies after a while", "dies", "HEALTH_CRASHED", "It did not stay online"],
] as const;
const MODES = [
  ["in fork mode", {}],
  ["in a cluster", { exec_mode: "cluster", instances: 2 }],
] as const;

longTest.each(firstOrAll(failing))(
  "a release that %s is taken back, and the former one serves again",
  async (_, mode, code, words) => {
    const refused = await refusal(apply(mode));
    expect(refused).toContain(`APPLY_REVERTED ${code}: restapi (id 0) is not healthy. `);
    expect(refused).toContain(words);
    expect(await served()).toBe("good");
  },
);

longTest("a release that stops responding while it is checked is reverted before its deadline", async () => {
  declare("deaf");
  const input = { environment: "dev", minHealthyMs: 3000, timeoutMs: 600_000 };
  const refused = await refusal(execute(rolloutApply, ports, input, caller));
  expect(refused).toContain("APPLY_REVERTED HEALTH_UNREACHABLE: restapi (id 0) is not healthy. ");
  expect(await served()).toBe("good");
});

longTest("a release without the path of the default probe only has to stay online", async () => {
  expect(await refusal(apply("missing"))).toBe("done");
  expect(await served()).toBe("missing");
});

longTest("in a cluster, a bad release stops at its first instance, and the others keep serving", async () => {
  const cluster = { exec_mode: "cluster", instances: 2 };
  await apply("good", cluster);
  const before = await ports.processes.list();
  expect(await refusal(apply("bad", cluster))).toContain("APPLY_REVERTED HEALTH_STATUS");
  const after = await ports.processes.list();
  expect(after.map(({ status }) => status)).toEqual(["online", "online"]);
  // One process was replaced and reverted; the other was not changed.
  const pids = new Set(before.map(({ pid }) => pid));
  expect(after.filter(({ pid }) => pids.has(pid))).toHaveLength(1);
  expect(await served()).toBe("good");
});

longTest(
  "in a cluster of four, each check after the reload reaches the new process, and sends at most five probes",
  async () => {
    const cluster = { exec_mode: "cluster", instances: 4 };
    await apply("good", cluster);
    const { health, processes } = ports;
    /** For each reload that PM2 has answered, the processes that each check met. */
    const checks: (number | null)[][][] = [];
    let isReloading = false;
    const reload: typeof processes.reload = async (...given) => {
      isReloading = true;
      const before = await processes.reload(...given);
      isReloading = false;
      checks.push([]);
      return before;
    };
    const list: typeof processes.list = (signal) => {
      checks.at(-1)?.push([]);
      return processes.list(signal);
    };
    const ask: typeof health.check = async (probe) => {
      const answer = await health.check(probe);
      if (!isReloading && answer.state === "healthy") checks.at(-1)?.at(-1)?.push(answer.pid);
      return answer;
    };
    const world = { ...ports, health: { ...health, check: ask }, processes: { ...processes, reload, list } };
    await apply("good", { ...cluster, args: "x" }, false, world);
    const now = await ports.processes.list();
    const met = checks.map((ofOne) => ofOne.filter((pids) => pids.length > 0));
    for (const [index, ofOne] of met.entries()) {
      expect(ofOne.map((pids) => pids.at(-1))).toEqual(ofOne.map(() => now[index]?.pid));
      expect(Math.max(...ofOne.map((pids) => pids.length))).toBeLessThanOrEqual(5);
    }
    expect(met).toHaveLength(4);
  },
);

longTest("in a cluster, a bad release is reverted while the old process is still stopping", async () => {
  const held = join(own.folder, "held");
  const env = (MODE: string) => ({ env: { MODE, SVC_HTTP_PORT: String(port), HELD: held } });
  const cluster = { exec_mode: "cluster", instances: 1, kill_timeout: 60_000 };
  writeFileSync(held, "");
  await apply("good", { ...cluster, ...env("good") });
  rmSync(held);
  const [before] = await ports.processes.list();
  const isServed: boolean[] = [];
  const { releases } = ports;
  const add = async (id: string, event: ReleaseEvent): Promise<void> => {
    await releases.append(id, event);
    if (event.event !== "return") return;
    isServed.push(own.pids().includes(before!.pid!), (await served()) === "good");
    writeFileSync(held, "");
  };
  const world = Object.create(ports, { releases: { value: { ...releases, append: add } } }) as Ports;
  const refused = await refusal(apply("bad", { ...cluster, ...env("bad") }, false, world));
  expect(refused).toContain("APPLY_REVERTED HEALTH_STATUS");
  expect(isServed).toEqual([true, true]);
});

longTest.each(firstOrAll(MODES))("a release whose port another program uses is reverted %s", async (_, mode) => {
  await apply("good", mode);
  const otherServer = createServer((_request, response) => response.end());
  await new Promise<void>((resolve) => otherServer.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void otherServer.close());
  const { port: taken } = otherServer.address() as AddressInfo;
  const refused = await refusal(apply("good", { ...mode, env: { MODE: "good", SVC_HTTP_PORT: String(taken) } }));
  expect(refused).toMatch(/^APPLY_REVERTED (HEALTH_CRASHED|RELOAD_VERIFY_FAILED|RESTART_VERIFY_FAILED): /);
  expect(await served()).toBe("good");
});

longTest.each(firstOrAll(MODES))("a release that never reports that it is ready is reverted %s", async (_, mode) => {
  const app = { wait_ready: true, listen_timeout: 1000, ...mode };
  await apply("good", { ...app, listen_timeout: 60_000 });
  expect(await refusal(apply("mute", app))).toBe(
    "APPLY_REVERTED HEALTH_NOT_READY: restapi (id 0) is not healthy. It did not report that it was ready within its listen_timeout of 1 s. Every touched app runs as before.",
  );
  expect(await served()).toBe("good");
});

longTest("a plan names a listen_timeout that is shorter than the last boot, and the consequence", async () => {
  const cluster = { exec_mode: "cluster", wait_ready: true };
  await apply("good", { ...cluster, listen_timeout: 60_000 });
  declare("good", { ...cluster, listen_timeout: 1 });
  const { steps } = await execute(rolloutPlan, ports, { environment: "dev" }, caller);
  expect(steps[0]).toMatchObject({ do: "update", disruption: "gap", notes: ["LISTEN_TIMEOUT_SHORT"] });
});

longTest("a release that keeps exiting before it is ready is reverted by a single restart", async () => {
  // PM2 gives up on no app that runs for longer than `min_uptime`.
  const app = { wait_ready: true, listen_timeout: 1000, kill_timeout: 300, min_uptime: 100 };
  await apply("good", app);
  const world = betweenLaunches();
  const restart = vi.spyOn(world.processes, "restart");
  expect(await refusal(apply("late", app, false, world))).toContain("APPLY_REVERTED");
  expect(restart).toHaveBeenCalledTimes(2);
  expect(await served()).toBe("good");
});

describe("with a preflight", () => {
  const refused = [
    ["answers with 500", "bad", {}],
    ["crashes at its start", "crash", {}],
    ["does not listen", "silent", {}],
    ["dies after a while", "dies", {}],
    ["crashes at its start in a cluster", "crash", { exec_mode: "cluster", instances: 2 }],
  ] as const;
  longTest.each(firstOrAll(refused))(
    "a release that %s is refused, and no process is touched",
    async (_, mode, more) => {
      await apply("good", more);
      const before = await ports.processes.list();
      expect(await refusal(apply(mode, more, true))).toContain(
        "PREFLIGHT_FAILED PREFLIGHT_FAILED: restapi is not healthy on a spare port: ",
      );
      expect(await ports.processes.list()).toMatchObject(before.map(({ pmId, pid, name }) => ({ pmId, pid, name })));
      const [newest] = (await execute(releaseList, ports, {}, caller)).releases;
      expect(newest).toMatchObject({ outcome: "refused", code: "PREFLIGHT_FAILED" });
      expect(await served()).toBe("good");
    },
  );

  longTest("a good release is started once on a spare port, and then applied", async () => {
    const { release } = await apply("good", { args: "x" }, true);
    expect(release?.steps.map(({ do: kind, phase }) => `${kind} ${phase}`)).toEqual([
      "preflight done",
      "update done",
      "save done",
    ]);
    expect((await ports.processes.list()).map(({ name }) => name)).toEqual(["restapi"]);
  });

  longTest("a trial process that a killed svcm left behind is deleted by the next apply", async () => {
    await own.run({ name: "svcm-preflight-restapi" });
    await apply("good");
    expect((await ports.processes.list()).map(({ name }) => name)).toEqual(["restapi"]);
  });

  longTest("the plan names the app that cannot start on a spare port", async () => {
    own.pm2Folder([{ name: "worker", script: "./app.cjs", env: { MODE: "good" } }]);
    const { steps } = await execute(rolloutPlan, ports, { environment: "dev", preflight: true }, caller);
    expect(steps.map(({ do: kind, notes }) => [kind, notes])).toEqual([
      ["start", ["NO_PROBE", "PREFLIGHT_IMPOSSIBLE"]],
      ["save", []],
    ]);
  });
});

longTest("a declared probe must succeed, on the port from a variable of the env file", async () => {
  const file = join(own.folder, "deployments.yaml");
  const before = readFileSync(file, "utf8");
  writeFileSync(file, "rollout: { minHealthyTime: 300ms, health: { restapi: { port: PORT } } }");
  writeFileSync(join(own.folder, "api.env"), `PORT=${port}\nSVC_HTTP_PORT=${port}\n`);
  const refused = await refusal(apply("missing", { env: { MODE: "missing" }, node_args: "--env-file=api.env" }));
  writeFileSync(file, before);
  expect(refused).toContain("APPLY_REVERTED HEALTH_STATUS");
  expect(refused).toContain(`The http probe of port ${port} at /health was answered with status 404.`);
});
