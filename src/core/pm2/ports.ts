import type { HasFacts, HasWorkspace } from "../project/port-repository.ts";
import type { HasClock, HasFiles, HasStamps } from "../files/ports.ts";
import type { HasProcesses } from "./port-processes.ts";
import type { LoadedEcosystem } from "./loaded.ts";

/** The ports that read declarations. */
export interface Repository extends HasEcosystems, HasFacts, HasFiles, HasWorkspace {}

/** The ports that look at processes. */
export interface Running extends HasClock, HasProcesses, HasStamps {}

/**
 * `judge` also asks PM2's own validation and examines what the apps need on this machine. `repeat` runs the file with a
 * later clock, so that every value that depends on the time differs. `review` does both at once.
 */
export type LoadPurpose = "read" | "judge" | "repeat" | "review";

/** Runs ecosystem files. They are code, so each runs in a separate process. */
export interface EcosystemLoader {
  /** Empty if the folder does not exist. @throws {FileError} another system code */
  list(folder: string): Promise<readonly string[]>;

  /**
   * Runs the file and the modules that it loads. Calls during a run share the next one.
   * @param path absolute
   * @param cwd the working directory of its process; the default is the root
   * @param pm2Env the name after `--env` of the command that the file sees
   * @throws {FileError} a system code, or ECOSYSTEM_FILE_SYNTAX, ECOSYSTEM_FILE_THREW, ECOSYSTEM_FILE_TIMEOUT and so
   * on. The message quotes the file only in the text of an exception, without secrets.
   */
  load(path: string, cwd?: string, purpose?: LoadPurpose, pm2Env?: string): Promise<LoadedEcosystem>;

  /** Environment values that files do not get, and that no response may contain. */
  withheldValues(): readonly string[];
}

export interface HasEcosystems {
  readonly ecosystems: EcosystemLoader;
}
