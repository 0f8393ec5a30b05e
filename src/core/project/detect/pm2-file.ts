import type { Pm2App } from "./apps-in.ts";

/** A PM2 configuration as its text shows it; it was not run. */
export interface Pm2File {
  readonly path: string;
  /** Folder of the nearest package.json, `.` for the root. */
  readonly home: string;
  readonly named: string | undefined;
  /** By environment, the name after `--env`; `null` for a start without it. */
  readonly environments: Readonly<Record<string, string | null>>;
  /** True if nothing in the file or around it names an environment. */
  readonly isGuess: boolean;
  /** True if a script, a workflow or the README starts it. */
  readonly isCalled: boolean;
  /** True if PM2 cannot load it. */
  readonly isBroken: boolean;
  readonly apps: readonly Pm2App[];
}

export interface NotUnderstood {
  readonly path: string;
  readonly line: number;
  readonly what: string;
}
