import { isDevice, STDERR, STDOUT } from "./output.ts";
import { Chalk } from "chalk";
import { type Paint, toPrintable } from "../../core/index.ts";

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

/** Two noncharacters mark each style until the text is printed, so a name cannot send an escape sequence. */
const STYLES = ["bold", "dim", "red", "green", "yellow", "cyan"] as const;

const CHALK = new Chalk({ level: 1 });
/** The escape codes that start and end each style, in the order of the marks. */
const CODES = STYLES.flatMap((name) => CHALK[name]("|").split("|"));

const FIRST_MARK = 0xfdd0;
export const MARKS = /([\uFDD0-\uFDEF])/g;

export const paint = Object.fromEntries(
  STYLES.map((name, index) => [name, (text: string) => `${markAt(index * 2)}${text}${markAt(index * 2 + 1)}`]),
) as Record<(typeof STYLES)[number], (text: string) => string> satisfies Paint;

export const unpainted = Object.fromEntries(STYLES.map((name) => [name, (text: string) => text])) as typeof paint;

function markAt(offset: number): string {
  return String.fromCharCode(FIRST_MARK + offset);
}

export function withStyles(text: string, hasColours: boolean): string {
  return text.replaceAll(MARKS, (mark) => (hasColours ? (CODES[mark.charCodeAt(0) - FIRST_MARK] ?? "") : ""));
}

/** Undoes `withStyles`, for a text whose names are escaped already. */
export function withMarks(text: string): string {
  return CODES.reduce((marked, code, index) => marked.replaceAll(code, markAt(index)), text);
}

/** Replaces control characters and direction marks, so that no name can move the cursor. */
export function printable(text: string, { colours, isAscii }: Pick<Screen, "colours" | "isAscii">): string {
  if (!/[^\n\x20-\x7e]/.test(text)) return text;
  const lines = text.split("\n").map(visibleBetweenMarks);
  const styled = withStyles(lines.join("\n"), colours > 0);
  return isAscii ? styled.replaceAll(/[▁-█▉-▏·…↻▾↑↓]/g, (symbol) => IN_ASCII[SYMBOLS.indexOf(symbol)] ?? "?") : styled;
}

function visibleBetweenMarks(line: string): string {
  return line
    .split(MARKS)
    .map((part, index) => (index % 2 === 0 ? toPrintable(part) : part))
    .join("");
}

/** In the order of the replacements for a terminal without Unicode. */
const SYMBOLS = "▁▂▃▄▅▆▇█▏▎▍▌▋▊▉·…↻▾↑↓";
const IN_ASCII = "_.--==##.::-==#.~Rv^v";

export interface Verdict {
  readonly text: string;
  readonly tone?: "good" | "attention" | "bad";
  /** A command that can be pasted. */
  readonly next?: string | undefined;
}

/** An answer begins with what it comes to, and ends with the next command if there is something to do. */
export function withVerdict({ text, tone, next }: Verdict, evidence: string): string {
  const head = paint.bold(tone === undefined ? text : TONES[tone](text));
  return [head, ...(evidence === "" ? [] : [evidence]), ...(next === undefined ? [] : [`Next: ${next}`])].join("\n");
}

const TONES = { good: paint.green, attention: paint.yellow, bad: paint.red };
