import { nameList } from "../words/text.ts";

/** Traces that a daemon leaves behind. */
export interface DaemonTraces {
  /** Null if the daemon stopped on request, which removes its pid file. */
  readonly pid: number | null;
  /** The apps that `pm2 resurrect` starts. `svcm boot restore` leaves jobs and stopped ones at rest. */
  readonly savedNames: readonly string[];
  /** When a file of PM2 was last written; the daemon ended later. */
  readonly signMs: number | null;
  /** When the daemon wrote its pid file; null without one. */
  readonly startedMs?: number | null;
  /** Processes that the daemon started and that run on without it: only programs of Node.js with PM2's own module end with it. */
  readonly survivors?: readonly Survivor[];
}

export interface Survivor {
  readonly pid: number;
  readonly name: string;
  /** A program of Node.js with PM2's own module (`pmx`): it ends a moment after its daemon. */
  readonly mayEnd?: boolean;
}

/** `undefined` if it stopped on request. Only for a home without a daemon. */
export function deadDaemonText(traces: DaemonTraces): string | undefined {
  const { pid, savedNames } = traces;
  if (pid === null) return undefined;
  const back = savedNames.length === 0 ? "" : ` To bring back ${nameList(savedNames)}: ${restoreCommand(traces)}`;
  return `PM2's daemon, pid ${pid}, ended without a message: it was killed, or the machine stopped.${survivorsText(traces)}${back}`;
}

/** A start beside a process that survived would run its app twice. One that has ended since keeps no other from its end. */
export function restoreCommand({ survivors = [] }: DaemonTraces): string {
  const pids = survivors.map(({ pid }) => pid);
  return pids.length === 0 ? "svcm boot restore" : `kill ${pids.join(" ")}; svcm boot restore`;
}

/** A sentence with a space before it; empty if all processes ended with the daemon. */
export function survivorsText({ survivors = [] }: DaemonTraces): string {
  if (survivors.length === 0) return "";
  const processes = nameList(survivors.map(({ name, pid }) => `${name} (pid ${pid})`));
  return ` Without it, ${processes} still ${survivors.length === 1 ? "runs" : "run"}, so a start would run the same app twice.`;
}

/** Of one app. @param app PM2 lists instances of it, beside which they run */
export function leftOverText(survivors: readonly Survivor[], app: "absent" | "listed"): string {
  const pids = survivors.map(({ pid }) => pid);
  const [label, runs] = pids.length === 1 ? ["pid", "runs"] : ["pids", "run"];
  const effect = app === "absent" ? "so a start would run the app twice" : "beside what PM2 lists of the app";
  return `${survivors[0]?.name} (${label} ${pids.join(", ")}) outlived a former daemon of PM2 and still ${runs}, ${effect}. To end it: kill ${pids.join(" ")}`;
}

/** @param pids of the daemons that PM2's socket does not reach */
export function severalText(pids: readonly number[]): string {
  return `Another daemon of this PM2_HOME runs (pid ${pids.join(", ")}). PM2's list lacks its apps, so a start could run an app twice. To end it with its apps: kill ${pids.join(" ")}`;
}
