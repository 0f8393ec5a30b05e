import { logLevels, type LogLevel, type LogStream } from "../api/names.ts";

/** The names of winston, syslog and others. */
const WORDS: Readonly<Record<string, LogLevel>> = {
  silly: "trace",
  verbose: "debug",
  http: "info",
  log: "info",
  notice: "info",
  information: "info",
  warning: "warn",
  err: "error",
  crit: "fatal",
  critical: "fatal",
  alert: "fatal",
  emerg: "fatal",
  panic: "fatal",
};

/** pino and bunyan use numbers: 10 is trace, 60 is fatal. */
export function levelOf(value: unknown): LogLevel | null {
  if (typeof value === "number")
    return logLevels[Math.min(Math.max(Math.floor(value / 10), 1), logLevels.length) - 1] ?? null;
  if (typeof value !== "string") return null;
  const word = value.toLowerCase();
  return logLevels.find((level) => level === word) ?? (Object.hasOwn(WORDS, word) ? (WORDS[word] ?? null) : null);
}

const WORD = /^[\s[(<|*-]{0,4}([A-Za-z]{3,8})([\]:)>|\s])/;
const LEVEL_DELIMITERS = "]:)>|";
const ERROR_LINE = /^(?:Uncaught |Unhandled )?[A-Z]\w{0,60}Error(?: \[\w+\])?: /;

/** `[warn]`, `error:` or `INFO` at the start. */
export function levelIn(text: string): LogLevel | null {
  if (ERROR_LINE.test(text)) return "error";
  const [, word = "", after = ""] = WORD.exec(text) ?? [];
  return LEVEL_DELIMITERS.includes(after) || word === word.toUpperCase() ? levelOf(word) : null;
}

/** Without a level, standard error counts as error and standard output as info. */
export function isAtLeast(minimum: LogLevel, level: LogLevel | null, stream: LogStream): boolean {
  return logLevels.indexOf(level ?? (stream === "err" ? "error" : "info")) >= logLevels.indexOf(minimum);
}
