import type { Kernel, RunningCommand, Sighting } from "../events/sightings.ts";

/** Evidence about processes beside PM2's log. */
export interface Sightings {
  /** The kept ones from `sinceMs` on, the oldest first. @throws {FileError} if they cannot be read */
  kept(sinceMs: number): Promise<readonly Sighting[]>;

  /** Keeps them beside PM2's files, for every svcm of this PM2. @throws {FileError} */
  keep(sightings: readonly Sighting[]): Promise<void>;

  /** Empty facts where the system does not show them. */
  kernel(): Promise<Kernel>;

  /** The commands of PM2's command line that run now for this PM2. */
  commands(): Promise<readonly RunningCommand[]>;

  /** The pids of PM2's processes by number, from PM2's files. */
  pids(): Promise<ReadonlyMap<number, number>>;

  /** Calls back when PM2's log or svcm's audit log may have changed. @returns a function that ends it */
  watch(onChange: () => void): () => void;
}
