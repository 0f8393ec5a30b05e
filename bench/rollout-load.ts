/**
 * Applies under 200 requests a second over a real PM2, to a cluster of two and to an app in fork mode. Prints lost
 * requests and times, with those of PM2's own reload. Also counts the lists of an apply, and times the decision for
 * 100 apps.
 *
 * node --import tsx bench/rollout-load.ts [rounds]
 */
import { utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { execute, rolloutApply, SvcmError, type Ports } from "../src/core/index.ts";
import { decide } from "../src/core/rollout/decide.ts";
import { simulateApply } from "../src/core/rollout/read-states.ts";
import { expectedOf } from "../test/core/rollout/loaded.ts";
import { freePort } from "../test/support/free-port.ts";
import { pm2 } from "../test/support/pm2-daemon.ts";
import { stateOf } from "../test/support/process-record.ts";
import { loadDuring, SERVER, type Load } from "../test/support/requests.ts";
import { median } from "./median.ts";

const [rounds = 5] = process.argv.slice(2).map(Number);
const caller = { source: "cli", grants: ["read", "write"] } as const;
const MIN_HEALTHY_MS = 500;
const FORK = {};
const CLUSTER = { exec_mode: "cluster", instances: 2 };
const own = pm2();
const ports = own.ports();
const port = await freePort();

function declare(MODE: string, args: string, mode: object): void {
  const env = { MODE, SVC_HTTP_PORT: String(port) };
  own.pm2Folder([{ name: "restapi", script: "./app.cjs", listen_timeout: 10_000, args, env, ...mode }]);
}

async function apply(world: Ports = ports, preflight = false): Promise<void> {
  await execute(rolloutApply, world, { environment: "dev", preflight }, caller);
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const before = performance.now();
  await work().catch((error: unknown) => {
    if (!(error instanceof SvcmError)) throw error;
  });
  return performance.now() - before;
}

const lost = ({ failed, sent, downMs }: Load): string =>
  `${failed} of ${sent} failed${failed > 0 ? `, for ${downMs.toFixed(0)} ms` : ""}`;

function decideHundred(): void {
  const apps = Array.from({ length: 100 }, (_, index) => ({ name: `app-${index}`, env: { A: "1", B: "2" } }));
  const running = simulateApply(expectedOf(apps));
  const expected = expectedOf(apps.map((app, index) => (index % 2 === 0 ? app : { ...app, args: "x" })));
  const more = {
    modifiedMs: () => undefined,
    visibleKeys: new Set<string>(),
    missingFolders: new Set<string>(),
    stateOf,
  };
  const times = Array.from({ length: 21 }, () => {
    const before = performance.now();
    decide({ expected, running, ...more });
    return performance.now() - before;
  });
  console.log(`decide for 100 apps: ${median(times).toFixed(1)} ms, goal 10`);
}

/** Without svcm's checks, measures how long a process boots and its predecessor stops. */
async function roll(): Promise<void> {
  declare("good", "0", CLUSTER);
  await apply();
  const times: Record<"apply" | "reload", number[]> = { apply: [], reload: [] };
  const applied = await loadDuring(port, async () => {
    for (let round = 1; round <= rounds; round += 1) {
      declare("good", String(round), CLUSTER);
      times.apply.push(await timed(() => apply()));
    }
  });
  const reloaded = await loadDuring(port, async () => {
    for (let round = 1; round <= rounds; round += 1) {
      times.reload.push(
        await timed(async () => {
          for (const record of await ports.processes.list()) await ports.processes.reload(record);
        }),
      );
    }
  });
  const limit = (median(times.reload) + 2 * MIN_HEALTHY_MS) * 1.2;
  console.log(`rolling apply: ${lost(applied)}; PM2's reload: ${lost(reloaded)}`);
  console.log(
    `rolling apply: ${median(times.apply).toFixed(0)} ms, ${(median(times.apply) / limit).toFixed(2)} of the goal (boots, stops and minHealthyTime, and a fifth)`,
  );
}

async function bad(mode: object, title: string): Promise<void> {
  declare("good", "0", mode);
  await apply();
  declare("good", "1", mode);
  const goodMs = await timed(() => apply());
  for (const release of ["crash", "bad", "silent"])
    for (const preflight of [false, true]) {
      declare(release, "1", mode);
      let failedAt = Number.NaN;
      let returnedAt = Number.NaN;
      const { releases } = ports;
      const add: typeof releases.append = async (id, event) => {
        if (event.event === "step" && event.phase === "failed") failedAt = performance.now();
        if (event.event === "return") returnedAt = performance.now();
        await releases.append(id, event);
      };
      const world = Object.create(ports, { releases: { value: { ...releases, append: add } } }) as Ports;
      let ms = 0;
      const load = await loadDuring(port, async () => (ms = await timed(() => apply(world, preflight))));
      const share = (at: number): string => ((at - failedAt) / goodMs).toFixed(2);
      const returned = preflight
        ? `refused after ${ms.toFixed(0)} ms`
        : `returned in ${share(returnedAt)} of a good apply of ${goodMs.toFixed(0)} ms, ended in ${share(performance.now())}`;
      console.log(`${release}, ${title}${preflight ? ", preflight" : ""}: ${lost(load)}; ${returned}`);
    }
}

async function gateCalls(): Promise<void> {
  declare("good", "0", FORK);
  await apply();
  let lists = 0;
  const { processes } = ports;
  const counted =
    (list: typeof processes.list): typeof processes.list =>
    (signal) => {
      lists += 1;
      return list(signal);
    };
  const keyed: typeof processes.withHomeKey = async () => {
    const found = await processes.withHomeKey();
    return { ...found, list: counted((signal) => found.list(signal)) };
  };
  const value = { ...processes, withHomeKey: keyed, list: counted((signal) => processes.list(signal)) };
  declare("good", "1", FORK);
  const ms = await timed(() => apply(Object.create(ports, { processes: { value } }) as Ports));
  console.log(`an apply asks PM2 for ${((lists / ms) * 1000).toFixed(1)} lists a second, goal 20`);
}

try {
  await own.startDaemon();
  writeFileSync(join(own.folder, "app.cjs"), SERVER);
  utimesSync(join(own.folder, "app.cjs"), 1e9, 1e9);
  writeFileSync(
    join(own.folder, "deployments.yaml"),
    `rollout: { minHealthyTime: ${MIN_HEALTHY_MS}ms, healthyDeadline: 5s }`,
  );
  decideHundred();
  await gateCalls();
  await roll();
  await bad(CLUSTER, "cluster");
  await bad(FORK, "fork");
} finally {
  await own.end();
}
