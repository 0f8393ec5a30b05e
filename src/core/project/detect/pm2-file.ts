import type { Pm2App } from "./apps-in.ts";

/** Read as text, not run. */
export interface Pm2File {
  readonly path: string;
  /** The folder of the nearest package.json; `.` for the root. */
  readonly home: string;
  readonly named: string | undefined;
  /** The name after `--env`; `null` for a start without it. */
  readonly environments: Readonly<Record<string, string | null>>;
  /** No environment is named in the file or near it. */
  readonly isGuess: boolean;
  /** A script, a workflow or the README starts PM2 with it. */
  readonly isCalled: boolean;
  /** PM2 cannot load it. */
  readonly isBroken: boolean;
  readonly apps: readonly Pm2App[];
}

export interface NotUnderstood {
  readonly path: string;
  readonly line: number;
  readonly what: string;
}
