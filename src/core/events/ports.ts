import type { HasLogs } from "../logs/port-logs.ts";
import type { MetricsPorts } from "../metrics/telemetry.ts";
import type { RunningCommand } from "../pm2/process-record.ts";
import type { SvcmEvent } from "../api/events.ts";
import type { EventFilter } from "./page.ts";
import type { Kernel, Sighting } from "./sightings.ts";

/** The ports of the larger functions of this room. */
export interface EventsPorts extends MetricsPorts, HasLogs, HasSightings {}

/** Sources of events: PM2's log, other evidence about its processes, and the feed of new events. */

/** Evidence about processes in addition to PM2's log. */
export interface Sightings {
  /** The stored sightings from `sinceMs` on, oldest first. @throws {FileError} if they cannot be read */
  readSince(sinceMs: number): Promise<readonly Sighting[]>;

  /** Stores sightings next to PM2's files, for every svcm process of this PM2. @throws {FileError} */
  append(sightings: readonly Sighting[]): Promise<void>;

  /** Empty if the system does not provide the facts. */
  readKernel(): Promise<Kernel>;

  /** Why a script cannot be loaded, as far as that shows without running it: a sentence without its full stop. */
  findLoadFault(script: string): Promise<string | undefined>;

  /** The PM2 commands that are now running for this PM2. */
  runningCommands(): Promise<readonly RunningCommand[]>;

  /** The pids of PM2's processes by PM2 id, from PM2's files. */
  readPids(): Promise<ReadonlyMap<number, number>>;

  /** Calls back when PM2's log or svcm's audit log may have changed. @returns a function that stops watching */
  watch(onChange: () => void): () => void;
}

/** New events as they happen. */
export interface EventFeed {
  /**
   * Yields events from now on, oldest first, a few seconds after they happened, because their cause may only be known
   * then. A slow reader misses the oldest ones.
   * @throws {SvcmError} EVENTS_FAILED, AUDIT_FAILED
   */
  watch(signal: AbortSignal, request: EventRequest): AsyncIterable<SvcmEvent>;
}

export interface EventRequest extends EventFilter {
  /** A whole second of the recent past, in milliseconds since 1970; the default is the time of the first read. */
  readonly fromMs?: number;
}

export interface HasSightings {
  readonly sightings: Sightings;
}

export interface HasEventFeed {
  /** One per server, so that all followers share one reader. */
  readonly eventFeed: EventFeed;
}
