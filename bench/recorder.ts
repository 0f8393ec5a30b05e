/**
 * Runs svcm serve with and without the recorder, over the same PM2 and without a viewer. The CPU time of the server
 * and of PM2's daemon counts. The goal is at most 0.15 per cent of a core more.
 *
 * node --import tsx bench/recorder.ts [seconds a run] [rounds] [processes]
 */
import { setTimeout as after } from "node:timers/promises";
import { pm2, type Daemon, type Pm2 } from "../test/support/pm2-daemon.ts";
import { cpuMs } from "./cpu.ts";
import { median } from "./median.ts";
import { serveApart, serveAsked, startSvcm } from "./served.ts";
import { startApps } from "./start-apps.ts";

const GOAL = 0.15;
/** Two steps of the recorder, after which its code is compiled. */
const WARM_UP_MS = 21_000;

if (process.argv[2] === "--serve") await serveAsked((ports) => startSvcm(ports, process.argv.at(-1) === "record"));
else await compare(process.argv.slice(2).map(Number));

async function compare([seconds = 120, rounds = 3, count = 20]: readonly number[]): Promise<void> {
  const own = pm2();
  try {
    const daemon = await own.startDaemon();
    await startApps(own, count);
    const shares = { quiet: [] as Share[], record: [] as Share[] };
    for (let round = 0; round < rounds; round += 1)
      for (const kind of ["quiet", "record"] as const)
        shares[kind].push(await shareOf(own, daemon, kind, seconds * 1000));
    const of = (kind: keyof typeof shares, part: keyof Share): number => median(shares[kind].map((one) => one[part]));
    const more = of("record", "server") + of("record", "daemon") - of("quiet", "server") - of("quiet", "daemon");
    for (const kind of ["quiet", "record"] as const)
      console.log(`${kind}: svcm ${of(kind, "server").toFixed(3)} %, PM2's daemon ${of(kind, "daemon").toFixed(3)} %`);
    console.log(
      `${count} processes: the recorder costs ${more.toFixed(3)} % of a core, goal ${GOAL}, ${more <= GOAL ? "met" : "missed"} ` +
        `(a hundredth of a second is ${(1 / seconds).toFixed(3)} %)`,
    );
  } finally {
    await own.end();
  }
}

/** Per cent of a core. */
interface Share {
  readonly server: number;
  readonly daemon: number;
}

async function shareOf(own: Pm2, daemon: Daemon, kind: string, runMs: number): Promise<Share> {
  const server = await serveApart(import.meta.url, own, [kind]);
  await after(WARM_UP_MS);
  const before = [cpuMs(server.pid), cpuMs(daemon.pid)] as const;
  await after(runMs);
  const spent = [cpuMs(server.pid) - before[0], cpuMs(daemon.pid) - before[1]] as const;
  await server.end();
  return { server: (spent[0] / runMs) * 100, daemon: (spent[1] / runMs) * 100 };
}
