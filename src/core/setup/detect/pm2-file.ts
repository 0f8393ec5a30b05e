import { compareText } from "../../api/issue.ts";
import type { Pm2App } from "./parse-apps.ts";
import type { Pm2Call } from "./pm2-calls.ts";

export interface Pm2File {
  readonly path: string;
  /** The folder of the service: of the nearest package.json at or above `cwd`. */
  readonly home: string;
  /** The folder in which PM2 is called. */
  readonly cwd: string;
  /** Several files of one home that are each deployed alone, such as one for each server, have a name each. */
  readonly part?: string;
  readonly named: string | undefined;
  /** The name after `--env`; `null` for a start without it. */
  readonly environments: Readonly<Record<string, string | null>>;
  /** The names after `--only`, by environment. */
  readonly only: Readonly<Record<string, readonly string[]>>;
  readonly isGuess: boolean;
  /** The environments for which a command of the repository, not only a text, starts it. */
  readonly calledFor: readonly string[];
  /** Callers that start PM2 with it. */
  readonly calls: readonly Pm2Call[];
  readonly isBroken: boolean;
  /** Paths of modules, perhaps without their endings, from which the file may take its apps. */
  readonly reads: readonly string[];
  /** The file lists its apps one by one, and computes none. */
  readonly isPlain: boolean;
  readonly apps: readonly Pm2App[];
}

export interface DetectionNote {
  readonly path: string;
  readonly line: number;
  readonly what: string;
}

export function byPath(a: Pm2File, b: Pm2File): number {
  return compareText(a.path, b.path);
}

/** Processes of PM2, as far as it concerns the repository. Paths are relative to the root. */
export interface RunningApp {
  readonly name: string;
  readonly cwd: string | undefined;
  readonly script: string | undefined;
  /** By its NODE_ENV. */
  readonly environment?: string | undefined;
}
