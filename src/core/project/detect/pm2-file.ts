import type { Pm2App } from "./apps-in.ts";

/** Read as text, not run. */
export interface Pm2File {
  readonly path: string;
  readonly home: string;
  readonly named: string | undefined;
  /** The name after `--env`; `null` for a start without it. */
  readonly environments: Readonly<Record<string, string | null>>;
  readonly isGuess: boolean;
  /** A script, a workflow or the README starts PM2 with it. */
  readonly isCalled: boolean;
  readonly isBroken: boolean;
  readonly apps: readonly Pm2App[];
}

export interface NotUnderstood {
  readonly path: string;
  readonly line: number;
  readonly what: string;
}
