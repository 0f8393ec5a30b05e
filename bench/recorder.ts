/**
 * Runs svcm serve with and without the recorder, over the same PM2 and without a viewer. The CPU time of the server
 * and of PM2's daemon counts. The goal is at most 0.15 per cent of a core more.
 *
 * node --import tsx bench/recorder.ts [seconds a run] [rounds] [processes]
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as after } from "node:timers/promises";
import { freePort } from "../test/support/free-port.ts";
import { pm2, type Daemon, type Pm2 } from "../test/support/pm2-daemon.ts";
import { cpuMs } from "./cpu.ts";
import { median } from "./median.ts";
import { startApps } from "./start-apps.ts";

const SVCM = join(import.meta.dirname, "../bin/run.js");
const GOAL = 0.15;
/** Two steps of the recorder, after which its code is compiled. */
const WARM_UP_MS = 21_000;

await compare(process.argv.slice(2).map(Number));

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

async function shareOf({ folder, home }: Pm2, daemon: Daemon, kind: string, runMs: number): Promise<Share> {
  const port = String(await freePort());
  const flags = kind === "record" ? ["--record"] : [];
  mkdirSync(join(folder, "config"), { recursive: true });
  const env = { PATH: process.env["PATH"], HOME: folder, PM2_HOME: home, SVC_SERVICE_MANAGEMENT_CONFIG_DIR: "config" };
  const argv = [SVCM, "serve", "--port", port, "--root", folder, ...flags];
  const server = spawn(process.execPath, argv, { cwd: folder, env, stdio: "ignore" });
  const pid = server.pid ?? 0;
  await after(WARM_UP_MS);
  if (existsSync(join(folder, ".svcm/history")) !== (kind === "record")) throw new Error(`${kind} did not run as such`);
  const before = [cpuMs(pid), cpuMs(daemon.pid)] as const;
  await after(runMs);
  const spent = [cpuMs(pid) - before[0], cpuMs(daemon.pid) - before[1]] as const;
  server.kill("SIGINT");
  await once(server, "exit");
  rmSync(join(folder, ".svcm/history"), { recursive: true, force: true });
  return { server: (spent[0] / runMs) * 100, daemon: (spent[1] / runMs) * 100 };
}
