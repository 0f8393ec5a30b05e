/**
 * A fleet over a real nats-server; the nodes are connections of this process. Compares discovery and overview with the
 * network's floor, and prints the cost of nodes without a client.
 *
 * node --import tsx bench/fleet.ts [nodes]
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { connect, nkeyAuthenticator } from "@nats-io/transport-node";
import { nodePorts } from "../src/core/index.ts";
import { natsConfigOf, createKey, openFleet, startNode, withFleet, type RunningNode } from "../src/fleet/index.ts";
import { listNodes } from "../src/fleet/fleet.ts";
import { EVENTS_STREAM, importedApi } from "../src/fleet/subjects.ts";
import { NATS_SERVER } from "../test/support/nats-server.ts";
import { freePort } from "../test/support/free-port.ts";
import { median } from "./median.ts";

const [count = 300] = process.argv.slice(2).map(Number);
const ROUNDS = 7;
const REFRESH_MS = 2_000;
const QUIET_MS = 30_000;
/** Per node, before the measurement. */
const EVENTS = 10;
const DEADLINE_MS = 20_000;
const MIB = 2 ** 20;

const folder = mkdtempSync(join(tmpdir(), "svcm-bench-fleet-"));
const [port, monitor] = [await freePort(), await freePort()];
const names = Array.from({ length: count }, (_, at) => `node-${at}`);
const keys = new Map(["vera", "adam", ...names].map((name) => [name, createKey()]));
writeFileSync(
  join(folder, "svcm.yaml"),
  JSON.stringify({
    version: 1,
    environments: { dev: [] },
    env: { dev: ".env" },
    nats: {
      url: `nats://127.0.0.1:${port}`,
      users: {
        vera: { role: "viewer", nkey: keys.get("vera")?.publicKey },
        adam: { role: "admin", nkey: keys.get("adam")?.publicKey },
      },
      nodes: Object.fromEntries(names.map((name) => [name, { nkey: keys.get(name)?.publicKey }])),
    },
  }),
);
mkdirSync(join(folder, "keys"));
mkdirSync(join(folder, ".pm2"));
const ends = Array.from({ length: EVENTS }, (_, at) => {
  const time = new Date(Date.now() - (at + 60) * 1000).toLocaleString("sv").replace(" ", "T");
  return `${time}: PM2 log: App [api:0] exited with code [1] via signal [SIGINT]\n`;
});
writeFileSync(join(folder, ".pm2/pm2.log"), ends.toReversed().join(""));
for (const [name, { seed }] of keys) writeFileSync(join(folder, "keys", name), seed, { mode: 0o600 });
const ports = nodePorts({ root: folder, env: { PM2_HOME: join(folder, ".pm2") }, cwd: folder });
const variables = (name: string) => ({ SVC_SERVICE_MANAGEMENT_NATS_CREDENTIALS: join(folder, "keys", name) });

writeFileSync(join(folder, "svcm.conf"), await natsConfigOf(ports));
writeFileSync(
  join(folder, "server.conf"),
  `listen: "127.0.0.1:${port}"\nhttp: "127.0.0.1:${monitor}"\njetstream { store_dir: "${folder}/store" }\ninclude "svcm.conf"\n`,
);
const server = spawn(NATS_SERVER ?? "nats-server", ["-c", join(folder, "server.conf")], { stdio: "ignore" });
const ended = once(server, "exit");
const nodes: RunningNode[] = [];
try {
  while (!(await monitored("/healthz").catch(() => undefined))) await pause(50);
  await withFleet(ports, variables("adam"), (fleet) => fleet.setUp());
  const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };
  for (const name of names)
    nodes.push(await startNode({ ports, env: variables(name), version: "bench", name, log: silent }));
  await measure();
} finally {
  await Promise.all(nodes.map((node) => node.close()));
  server.kill();
  await ended;
  rmSync(folder, { recursive: true });
}

async function measure(): Promise<void> {
  const fleet = await openFleet(ports, variables("vera"));
  const query = { nodes: ["all"], apps: [], since: 0, limit: 1000 };
  const arriving = new AbortController();
  let arrived = 0;
  for await (const _event of fleet.follow(query, arriving.signal)) if (++arrived === count * EVENTS) break;
  const floor = await requestsOfTheServer();
  const times = { floor: [] as number[], discovery: [] as number[], overview: [] as number[] };
  for (let round = 0; round < ROUNDS; round += 1) {
    times.floor.push(await timed(floor.round));
    times.discovery.push(await timed(() => fleet.nodes()));
    times.overview.push(await timed(() => listNodes(fleet, DEADLINE_MS)));
  }
  const base = median(times.floor);
  for (const [name, all] of Object.entries(times))
    console.log(
      `${name} of ${count} nodes: ${median(all).toFixed(0)} ms, ${(median(all) / base).toFixed(2)} of the floor`,
    );
  const listing = await timed(() => fleet.events(query));
  console.log(`a list of ${count * EVENTS} events: ${listing.toFixed(0)} ms`);
  const listed = await listNodes(fleet, DEADLINE_MS);
  console.log(`online: ${listed.filter(({ state }) => state === "online").length} of ${count}`);

  const before = await statistics();
  for (let round = 0; round < ROUNDS; round += 1) {
    const elapsed = await timed(() => listNodes(fleet, DEADLINE_MS));
    await pause(Math.max(0, REFRESH_MS - elapsed));
  }
  report("an overview every 2 s", before, await statistics());
  await fleet.close();
  await floor.close();

  const [quiet, samples] = [await statistics(), ports.telemetry.cost().samples];
  await pause(QUIET_MS);
  report("without a client", quiet, await statistics());
  console.log(`samples that the nodes took: ${ports.telemetry.cost().samples - samples}`);
}

/** As many requests as nodes, which the server itself answers, over one connection. */
async function requestsOfTheServer() {
  const seed = readFileSync(join(folder, "keys/vera"));
  const authenticator = nkeyAuthenticator(new Uint8Array(seed));
  const connection = await connect({ servers: `127.0.0.1:${port}`, authenticator });
  const floor = importedApi("INFO", EVENTS_STREAM);
  return {
    round: () => Promise.all(names.map(() => connection.request(floor, "", { timeout: DEADLINE_MS }))),
    close: () => connection.close(),
  };
}

interface Statistics {
  readonly now: number;
  readonly in_msgs: number;
  readonly in_bytes: number;
  readonly out_msgs: number;
  readonly mem: number;
  readonly cpuSeconds: number;
}

async function statistics(): Promise<Statistics> {
  const ticks = readFileSync(`/proc/${server.pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
  const cpuSeconds = (Number(ticks[11]) + Number(ticks[12])) / 100;
  return { ...((await monitored("/varz")) as Statistics), now: performance.now(), cpuSeconds };
}

function report(what: string, before: Statistics, after: Statistics): void {
  const seconds = (after.now - before.now) / 1000;
  const rate = (name: "in_msgs" | "in_bytes" | "out_msgs"): string =>
    ((after[name] - before[name]) / seconds).toFixed(1);
  const cpu = ((100 * (after.cpuSeconds - before.cpuSeconds)) / seconds).toFixed(1);
  console.log(
    `${what}: ${rate("in_msgs")} messages and ${rate("in_bytes")} bytes a second to the server, ${rate("out_msgs")} messages from it; the server uses ${cpu} % of a core and ${(after.mem / MIB).toFixed(0)} MiB`,
  );
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const before = performance.now();
  await work();
  return performance.now() - before;
}

async function monitored(path: string): Promise<unknown> {
  return (await fetch(`http://127.0.0.1:${monitor}${path}`)).json();
}
