import { fstatSync } from "node:fs";

/** What the terminal can show. */
export interface Screen {
  /** Columns of the window; absent where the output goes to a file or another program. */
  readonly width?: number;
  readonly colours: ColourLevel;
}

/** None, 16, 256 or all colours: the levels of chalk. */
export type ColourLevel = 0 | 1 | 2 | 3;

const DEFAULT_WIDTH = 80;

/** The screen behind standard output. */
export function stdoutScreen(): Screen {
  const isTerminal = isTerminalBehindStdout();
  const colours = colourLevel(process.env, isTerminal);
  return isTerminal ? { width: process.stdout.columns || DEFAULT_WIDTH, colours } : { colours };
}

/** Looks at the descriptor first: `process.stdout` is dear to make, and a pipe or a file is no terminal. */
export function isTerminalBehindStdout(): boolean {
  return fstatSync(1).isCharacterDevice() && process.stdout.isTTY;
}

/** `NO_COLOR` wins over everything, then `FORCE_COLOR`, then what the terminal says of itself. */
export function colourLevel(env: NodeJS.ProcessEnv, isTerminal: boolean): ColourLevel {
  if (env["NO_COLOR"]) return 0;
  const forced = env["FORCE_COLOR"];
  if (forced !== undefined) return FORCED[forced] ?? 1;
  if (!isTerminal || env["TERM"] === "dumb") return 0;
  if (/^(?:truecolor|24bit)$/.test(env["COLORTERM"] ?? "")) return 3;
  return /-256(?:color)?$/.test(env["TERM"] ?? "") ? 2 : 1;
}

const FORCED: Record<string, ColourLevel> = { "0": 0, false: 0, "1": 1, true: 1, "2": 2, "3": 3 };
