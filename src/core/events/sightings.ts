import type { RunningCommand, ProcessRecord } from "../pm2/process-record.ts";
import { parseRecord } from "../words/record.ts";
import type { LogEvent } from "./log-state.ts";
import { formatSecond } from "../words/time.ts";

/** The command was running while PM2 began to stop, or started, a process. */
export interface CommandSighting {
  readonly type: "command";
  readonly atMs: number;
  readonly pmId: number;
  readonly verb: string;
  readonly user: string;
  readonly command: string;
  /** A command may name a file, which may declare other processes. */
  readonly isNamed: boolean;
}

export interface KillSighting {
  readonly type: "memory-kill";
  readonly atMs: number;
  readonly pmId: number;
  readonly isNamed: boolean;
}

export type Sighting = CommandSighting | KillSighting;

const VERBS = new Set(
  `start restart reload gracefulReload stop delete del kill scale startOrRestart startOrReload startOrGracefulReload
   resurrect update deepUpdate`.split(/\s+/),
);
const ENDS_DAEMON = new Set(["kill", "update", "deepUpdate"]);
const FILE = /\.(?:[cm]?js|json|ya?ml|ts)$/i;

export function commandsFor(
  running: readonly RunningCommand[],
  { atMs, pmId, name }: { readonly atMs: number; readonly pmId: number; readonly name: string },
): CommandSighting[] {
  return running.flatMap(({ id, verb, words, user }): CommandSighting[] => {
    if (!VERBS.has(verb)) return [];
    const isForAll = words.includes("all") || verb === "resurrect" || ENDS_DAEMON.has(verb);
    const isNamed = isForAll || words.includes(name) || words.includes(String(pmId));
    if (!isNamed && !words.some((word) => FILE.test(word) || word.includes("/"))) return [];
    return [{ type: "command", atMs, pmId, verb, user, command: id, isNamed }];
  });
}

export function withCommands(events: readonly LogEvent[], sightings: readonly Sighting[]): LogEvent[] {
  const seen = new Map<string, CommandSighting[]>();
  for (const one of sightings) {
    if (one.type === "command") seen.set(keyOf(one), [...(seen.get(keyOf(one)) ?? []), one]);
  }
  if (seen.size === 0) return [...events];
  const commandSightings = ({ orderedMs, event: { pmId } }: LogEvent): CommandSighting[] =>
    orderedMs === undefined || pmId === undefined ? [] : (seen.get(keyOf({ atMs: orderedMs, pmId })) ?? []);
  return events.map((logged) => {
    const all = commandSightings(logged);
    const found = all.find(({ isNamed }) => isNamed) ?? all[0];
    if (found === undefined) return logged;
    if (logged.event.cause === "daemon" && ENDS_DAEMON.has(found.verb)) return withDaemonEnd(logged, found);
    if (!isUnattributed(logged)) return logged;
    return attributedToCommand(logged, found);
  });
}

export function isUnattributed({ isOrdered, event: { cause } }: LogEvent): boolean {
  return isOrdered && (cause === "pm2-cli" || cause === "cron" || cause === "unknown");
}

function withDaemonEnd({ event, ...logged }: LogEvent, { verb, user }: CommandSighting): LogEvent {
  const evidence = [`${user} ran \`pm2 ${verb}\`, which stops PM2's daemon and all processes.`, ...event.evidence];
  return { ...logged, event: { ...event, evidence, actor: `${user} (pm2 ${verb})` } };
}

/** Never certain: another program may have asked PM2 at the same moment. */
function attributedToCommand(logged: LogEvent, { verb, user }: CommandSighting): LogEvent {
  const { event } = logged;
  const [, ...rest] = event.evidence;
  return {
    ...logged,
    event: {
      ...event,
      kind: event.kind === "stop" && (verb === "delete" || verb === "del") ? "delete" : event.kind,
      cause: "pm2-cli",
      certainty: "likely",
      evidence: [`${user} ran \`pm2 ${verb}\` at that moment.`, ...rest],
      actor: `${user} (pm2 ${verb})`,
    },
  };
}

export interface Kernel {
  readonly bootedMs?: number | undefined;
  readonly kills?: number | undefined;
  readonly logged?: readonly KernelKill[] | undefined;
}

export interface KernelKill {
  readonly atMs: number;
  readonly pid: number;
  /** The kernel's name of the process: its title, cut after 15 bytes. */
  readonly name?: string | undefined;
}

/** The program that PM2 runs, by absolute path. */
export type Program = Pick<ProcessRecord, "script" | "interpreter">;

/** Between the kernel's clock and the seconds in PM2's log. */
const NEAR_MS = { before: 2000, after: 2000 };

interface KernelContext {
  readonly seen: readonly Sighting[];
  readonly programOf: (process: LogEvent["event"]) => Program | undefined;
}

/** Only a watcher knows the pid of an ended process. By time and name alone, a kill is likely at most. */
export function withKernel(
  events: readonly LogEvent[],
  kernel: Kernel,
  { seen: all, programOf }: KernelContext,
): LogEvent[] {
  const kills = all.filter((one): one is KillSighting => one.type === "memory-kill");
  const killed = events.filter(isKilled);
  return events.map((logged) => {
    if (logged.lostMs !== undefined) return lostDaemon(logged, logged.lostMs, kernel);
    if (!isKilled(logged)) return logged;
    const { atMs, event } = logged;
    const seen = kills.find((one) => one.atMs === atMs && one.pmId === event.pmId);
    if (seen?.isNamed) return byKernel(logged, "certain", "The kernel's log names the process: memory ran out.");
    if (seen) return byKernel(logged, "likely", "The kernel counted an out-of-memory kill in that second.");
    const near = (kernel.logged ?? []).filter((one) => isNear(one.atMs, atMs) && mayBe(one, programOf(event)));
    const rivals = killed.filter((one) => isNear(one.atMs, atMs)).length;
    if (near.length >= rivals && near.length > 0) {
      return byKernel(logged, "likely", "The kernel's log has an out-of-memory kill at that time.");
    }
    return withSentence(logged, kernelSentence(kernel, atMs));
  });
}

const NAME_BYTES = 15;

/** PM2 gives a process the title `node <script>`. Its children have other names. */
function mayBe({ name }: KernelKill, program: Program | undefined): boolean {
  const { script, interpreter } = program ?? {};
  if (name === undefined || script === undefined || script === null) return true;
  const titles = [
    `node ${script}`,
    "node",
    "MainThread",
    ...[script, interpreter ?? ""].map((path) => path.split("/").at(-1) ?? ""),
  ];
  return titles.some((title) => title !== "" && title.slice(0, NAME_BYTES) === name.slice(0, NAME_BYTES));
}

function isKilled({ event: { kind, signal } }: LogEvent): boolean {
  return kind === "exit" && signal === "SIGKILL";
}

function isNear(killMs: number, endMs: number): boolean {
  return killMs >= endMs - NEAR_MS.before && killMs <= endMs + NEAR_MS.after;
}

function byKernel(logged: LogEvent, certainty: "certain" | "likely", sentence: string): LogEvent {
  const { event } = logged;
  return { ...logged, event: { ...event, cause: "oom-kill", certainty, evidence: [sentence, ...event.evidence] } };
}

function kernelSentence({ bootedMs = Infinity, kills }: Kernel, atMs: number): string {
  if (kills === 0 && bootedMs <= atMs)
    return "The kernel did not send it: it has killed no process for lack of memory since the machine started.";
  return "The kernel also sends this signal if memory runs out.";
}

function lostDaemon(logged: LogEvent, lostMs: number, { bootedMs }: Kernel): LogEvent {
  if (bootedMs === undefined || bootedMs > logged.atMs) return logged;
  const [sentence = ""] = logged.event.evidence;
  const rest = logged.event.kind === "daemon" ? [] : logged.event.evidence.slice(2);
  const why =
    bootedMs > lostMs
      ? `The machine restarted at ${formatSecond(bootedMs)}.`
      : "The previous daemon was killed or crashed, because the machine kept running.";
  return { ...logged, event: { ...logged.event, evidence: [sentence, why, ...rest] } };
}

/** The last sentence may say that PM2 started the process again. */
function withSentence(logged: LogEvent, sentence: string): LogEvent {
  const [first = "", ...rest] = logged.event.evidence;
  return { ...logged, event: { ...logged.event, evidence: [first, sentence, ...rest] } };
}

function keyOf({ atMs, pmId }: { readonly atMs: number; readonly pmId: number }): string {
  return `${atMs} ${pmId}`;
}

export function readSighting(line: string): Sighting | undefined {
  const { type, atMs, pmId, isNamed, verb, user, command } = parseRecord(line) ?? {};
  if (typeof atMs !== "number" || typeof pmId !== "number" || typeof isNamed !== "boolean") return undefined;
  if (type === "memory-kill") return { type, atMs, pmId, isNamed };
  if (type !== "command" || typeof verb !== "string" || typeof user !== "string") return undefined;
  return typeof command === "string" ? { type, atMs, pmId, isNamed, verb, user, command } : undefined;
}
