import type { EnvFile } from "./env-file.ts";
/** Processes of an app that keep the former value. */
export interface StaleProcess {
  readonly name: string;
  readonly pmIds: readonly number[];
  /** `ecosystem`: a plain restart keeps the value, because the process got it at its start. */
  readonly scope: "process" | "ecosystem";
  /** With the scope `ecosystem`, as which the process runs. The request may name another one that reads the same file. */
  readonly environment?: string;
}

/** The ecosystem file sets another value for the app, and it wins. */
export interface Override {
  readonly key: string;
  readonly app: string;
  readonly fileName: string;
}

export interface EffectOfWrite {
  readonly staleProcesses: readonly StaleProcess[];
  readonly overrides: readonly Override[];
  /** Environments as which the apps of the file run, if none of their processes reads it. */
  readonly elsewhere: readonly string[];
}

/**
 * The processes that keep a former value after a write. The answer depends on what runs, which env files do not know, so
 * the front door hands it in.
 */
export interface Effects {
  /** The file is already written, so a failure is part of the answer. */
  read(file: Pick<EnvFile, "name" | "service" | "path">, keys: readonly string[]): Promise<KnownEffect>;
}

export interface KnownEffect extends EffectOfWrite {
  /** The reason why svcm does not know which processes keep a former value. */
  readonly unknownEffect?: string;
}

export interface HasEffects {
  readonly effects: Effects;
}
