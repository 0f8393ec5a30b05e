import { isDevice, STDERR, STDOUT } from "./output.ts";

export interface Screen {
  /** Absent if the output goes to a file or a program. */
  readonly width?: number;
  readonly colours: ColourLevel;
  /** Set by the locale. */
  readonly isAscii?: boolean;
}

export type ColourLevel = 0 | 1 | 2 | 3;

const DEFAULT_WIDTH = 80;

export function stdoutScreen(): Screen {
  return screenOf(isStdoutTerminal(), () => process.stdout);
}

export function stderrScreen(): Screen {
  return screenOf(isStderrTerminal(), () => process.stderr);
}

function screenOf(isTerminal: boolean, stream: () => NodeJS.WriteStream): Screen {
  const colours = colourLevel(process.env, isTerminal);
  if (!isTerminal) return { colours };
  return { width: stream().columns || DEFAULT_WIDTH, colours, isAscii: isAsciiOnly(process.env) };
}

/** Checks the descriptor first, because creating `process.stdout` is slow. */
export function isStdoutTerminal(): boolean {
  return isDevice(STDOUT) && process.stdout.isTTY;
}

export function isStderrTerminal(): boolean {
  return isDevice(STDERR) && process.stderr.isTTY;
}

export function canUseFullScreen(): boolean {
  return isStdoutTerminal() && process.env["TERM"] !== "dumb" && !process.env["CI"];
}

/** `NO_COLOR` takes precedence, then `FORCE_COLOR`, then the terminal's own variables. */
export function colourLevel(env: NodeJS.ProcessEnv, isTerminal: boolean): ColourLevel {
  if (env["NO_COLOR"]) return 0;
  const forced = env["FORCE_COLOR"];
  if (forced !== undefined) return FORCED_LEVELS[forced] ?? 1;
  if (!isTerminal || env["TERM"] === "dumb") return 0;
  if (/^(?:truecolor|24bit)$/.test(env["COLORTERM"] ?? "")) return 3;
  return /-256(?:color)?$/.test(env["TERM"] ?? "") ? 2 : 1;
}

const FORCED_LEVELS: Record<string, ColourLevel> = { "0": 0, false: 0, "1": 1, true: 1, "2": 2, "3": 3 };

export function isAsciiOnly(env: NodeJS.ProcessEnv): boolean {
  const locale = env["LC_ALL"] || env["LC_CTYPE"] || env["LANG"];
  return Boolean(locale) && !/utf-?8/i.test(locale ?? "");
}
