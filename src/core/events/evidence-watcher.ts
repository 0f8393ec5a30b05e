import type { HasSightings } from "./port-events.ts";
import type { HasProcessLogs } from "../logs/port-process-logs.ts";

import type { LogEntry } from "../logs/log-line.ts";
import { commandsFor, type KillSighting, type Sighting } from "./sightings.ts";

type Entry<Type extends LogEntry["type"]> = Extract<LogEntry, { readonly type: Type }>;

/** The evidence is gone soon after PM2 logs that a process stops or starts. */
export class EvidenceWatcher {
  readonly #ports: HasProcessLogs & HasSightings;
  #position: { readonly atMs: number; readonly count: number } | undefined;
  #pids: ReadonlyMap<number, number> = new Map();
  #kills: number | undefined;
  readonly #ordered = new Set<number>();
  readonly #ended = new Set<number>();

  constructor(ports: HasProcessLogs & HasSightings) {
    this.#ports = ports;
  }

  async check(nowMs: number, signal: AbortSignal): Promise<void> {
    const { processLogs, sightings } = this.#ports;
    const isFirst = this.#position === undefined;
    const fromMs = this.#position?.atMs ?? nowMs;
    const { entries } = await processLogs.readPm2Log({ sinceMs: fromMs }, signal);
    const fresh = this.#fresh(entries, fromMs);
    const orders: Entry<"start" | "stopping">[] = [];
    const killed: Entry<"exit">[] = [];
    for (const entry of fresh) {
      if (this.#isOrder(entry)) orders.push(entry);
      if (this.#isKill(entry)) killed.push(entry);
    }
    if (!isFirst) {
      const commands = orders.length > 0 ? await sightings.runningCommands() : [];
      const seen: Sighting[] = orders.flatMap((entry) => commandsFor(commands, entry));
      if (killed.length > 0) seen.push(...(await this.#kernelKills(killed)));
      if (seen.length > 0) await sightings.append(seen);
    }
    if (isFirst || fresh.length === 0) this.#kills = (await sightings.readKernel()).kills;
    this.#pids = await sightings.readPids();
  }

  #fresh(entries: readonly LogEntry[], fromMs: number): readonly LogEntry[] {
    const last = entries.at(-1)?.atMs ?? fromMs;
    const previous = this.#position;
    this.#position = { atMs: last, count: entries.filter(({ atMs }) => atMs === last).length };
    return entries.slice(previous?.count ?? 0);
  }

  /** A start that follows an end is not ordered. */
  #isOrder(entry: LogEntry): entry is Entry<"start" | "stopping"> {
    if (entry.type === "start") return !this.#ended.delete(entry.pmId);
    if (entry.type !== "stopping") return false;
    this.#ordered.add(entry.pmId);
    return true;
  }

  #isKill(entry: LogEntry): entry is Entry<"exit"> {
    if (entry.type !== "exit") return false;
    const { pmId, code, signal } = entry;
    this.#ended.add(pmId);
    return !this.#ordered.delete(pmId) && code === 0 && signal === "SIGKILL";
  }

  async #kernelKills(killed: readonly Entry<"exit">[]): Promise<KillSighting[]> {
    const { kills, logged = [] } = await this.#ports.sightings.readKernel();
    const hasCounted = kills !== undefined && this.#kills !== undefined && kills > this.#kills;
    this.#kills = kills;
    return killed.flatMap(({ atMs, pmId }): KillSighting[] => {
      const pid = this.#pids.get(pmId);
      const near = logged.filter((kill) => Math.abs(kill.atMs - atMs) < NEAR_MS);
      const isNamed = near.some((kill) => kill.pid === pid);
      // Then the kernel counted the kill of another process.
      if (!isNamed && pid !== undefined && near.length > 0) return [];
      return isNamed || hasCounted ? [{ type: "memory-kill", atMs, pmId, isNamed }] : [];
    });
  }
}

/** After this time, the pid may belong to another process. */
const NEAR_MS = 5000;
