import type { Kernel, RunningCommand, Sighting } from "../events/sightings.ts";

/** Evidence about processes in addition to PM2's log. */
export interface Sightings {
  /** The stored sightings from `sinceMs` on, oldest first. @throws {FileError} if they cannot be read */
  readSince(sinceMs: number): Promise<readonly Sighting[]>;

  /** Stores sightings next to PM2's files, for every svcm process of this PM2. @throws {FileError} */
  append(sightings: readonly Sighting[]): Promise<void>;

  /** Empty if the system does not provide the facts. */
  readKernel(): Promise<Kernel>;

  /** The PM2 commands that are now running for this PM2. */
  runningCommands(): Promise<readonly RunningCommand[]>;

  /** The pids of PM2's processes by PM2 id, from PM2's files. */
  readPids(): Promise<ReadonlyMap<number, number>>;

  /** Calls back when PM2's log or svcm's audit log may have changed. @returns a function that stops watching */
  watch(onChange: () => void): () => void;
}
