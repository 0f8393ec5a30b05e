import type { Kernel, RunningCommand, Sighting } from "../events/sightings.ts";

/** Evidence about processes in addition to PM2's log. */
export interface Sightings {
  /** The stored sightings from `sinceMs` on, oldest first. @throws {FileError} if they cannot be read */
  kept(sinceMs: number): Promise<readonly Sighting[]>;

  /** Stores sightings next to PM2's files, for every svcm process of this PM2. @throws {FileError} */
  keep(sightings: readonly Sighting[]): Promise<void>;

  /** Empty if the system does not provide the facts. */
  kernel(): Promise<Kernel>;

  /** The PM2 commands that are now running for this PM2. */
  commands(): Promise<readonly RunningCommand[]>;

  /** The pids of PM2's processes by PM2 id, from PM2's files. */
  pids(): Promise<ReadonlyMap<number, number>>;

  /** Calls back when PM2's log or svcm's audit log may have changed. @returns a function that stops watching */
  watch(onChange: () => void): () => void;
}
