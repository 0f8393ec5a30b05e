import { type LogLevel, logLevels, type LogStream } from "../api/names.ts";
import { type LocalMoment, readLocalTime } from "../words/time.ts";
import { isRecord, parseRecord } from "../words/record.ts";
import type { LogLine } from "../api/logs.ts";
import { createScrub, secretSpellings, type Scrub } from "../pm2/scrub.ts";
import { maskLogLine, REDACTED } from "../secrets/redact.ts";

export interface ParsedLine {
  readonly atMs: number | null;
  /** Of a local time that occurs twice, the second; the lines around it decide. */
  readonly laterMs?: number | undefined;
  readonly level: LogLevel | null;
  readonly text: string;
  readonly fields?: Readonly<Record<string, string>> | undefined;
}

const MAX_FIELDS = 40;
const MESSAGE_NAMES = ["msg", "message"];
const TIME_NAMES = ["time", "timestamp", "ts", "@timestamp"];
const LEVEL_NAMES = ["level", "severity"];
/** The same in every line of a process. */
const CONSTANT = new Set(["pid", "hostname", "v"]);

export function parseLine(line: string): ParsedLine {
  const stamped = parseTimestamp(line);
  const text = stamped?.rest ?? line;
  const read = readRecord(text) ?? { atMs: null, level: levelIn(text), text };
  if (read.atMs !== null) return read;
  // Each member by name: to spread an object costs ten times as much as everything else here.
  const { level, text: message, fields } = read;
  return { atMs: stamped?.atMs ?? null, laterMs: stamped?.laterMs, level, text: message, fields };
}

function readRecord(text: string): ParsedLine | undefined {
  const json = text.startsWith("{") && text.trimEnd().endsWith("}") ? parseRecord(text) : undefined;
  return json && (parsePm2Line(json) ?? parseLoggerLine(json));
}

/** PM2's `log_type: json` writes one object for each chunk of the process's output. */
function parsePm2Line({
  message,
  timestamp,
  app_name: app,
  process_id: id,
}: Readonly<Record<string, unknown>>): ParsedLine | undefined {
  if (typeof message !== "string" || app === undefined || id === undefined) return undefined;
  const text = message.replace(/\n$/, "");
  const inner = text.includes("\n") ? { atMs: null, level: levelIn(text), text } : parseLine(text);
  return { ...inner, atMs: inner.atMs ?? parseTime(timestamp) ?? null };
}

function parseLoggerLine(json: Readonly<Record<string, unknown>>): ParsedLine | undefined {
  const findName = (names: readonly string[]) => names.find((name) => json[name] !== undefined) ?? "";
  const [textName, timeName, levelName] = [findName(MESSAGE_NAMES), findName(TIME_NAMES), findName(LEVEL_NAMES)];
  if (typeof json[textName] !== "string" && levelName === "") return undefined;
  const message = json[textName] ?? "";
  const text = [typeof message === "string" ? message : JSON.stringify(message), ...findStacks(json)].join("\n");
  const otherFields = Object.entries(json).filter(
    ([name]) => name !== textName && name !== timeName && name !== levelName && name !== "stack" && !CONSTANT.has(name),
  );
  const fields = Object.fromEntries(otherFields.slice(0, MAX_FIELDS).map(([name, value]) => [name, fieldText(value)]));
  return {
    atMs: parseTime(json[timeName]) ?? null,
    level: levelOf(json[levelName]),
    text,
    ...(otherFields.length > 0 && { fields }),
  };
}

function findStacks(json: Readonly<Record<string, unknown>>): string[] {
  const errors = [json, json["err"], json["error"]];
  return errors.flatMap((error) => (isRecord(error) && typeof error["stack"] === "string" ? [error["stack"]] : []));
}

function fieldText(value: unknown): string {
  if (typeof value === "string") return value;
  const content = isRecord(value) && typeof value["stack"] === "string" ? { ...value, stack: undefined } : value;
  return JSON.stringify(content) ?? "";
}

const STAMP =
  /^\[?(\d{4}-\d\d-\d\d)[T ](\d{1,2})(:\d\d:\d\d)(?:[.,](\d{1,3})\d{0,6})?(?:\s?([AP])\.?M\.?)?\s?(Z|[+-]\d\d:?\d\d)?\]?:?(?:\s+|$)/i;

interface TimestampedLine extends LocalMoment {
  readonly rest: string;
}

/** As PM2's `time: true` and most loggers write it, also with AM or PM. A time without a zone is local. */
function parseTimestamp(line: string): TimestampedLine | undefined {
  const match = STAMP.exec(line);
  if (match === null) return undefined;
  const [stamp, date = "", hour = "", time = "", fraction = "", half, zone = ""] = match;
  const offset = zone.length === "+0000".length ? zone.replace(/(\d\d)$/, ":$1") : zone.toUpperCase();
  const text = `${date}T${hourOfDay(hour, half)}${time}.${fraction.padEnd(3, "0")}${offset}`;
  const moment: LocalMoment | undefined = offset === "" ? readLocalTime(text) : { atMs: Date.parse(text) };
  if (moment === undefined || Number.isNaN(moment.atMs)) return undefined;
  return { atMs: moment.atMs, laterMs: moment.laterMs, rest: line.slice(stamp.length) };
}

/** @param half `a` or `p` of a 12-hour clock */
function hourOfDay(hour: string, half: string | undefined): string {
  if (half === undefined) return hour;
  return String((Number(hour) % 12) + (half.toLowerCase() === "p" ? 12 : 0)).padStart(2, "0");
}

/** Smaller numbers are seconds. */
const MIN_MILLISECONDS = 1e11;
const MAX_MILLISECONDS = 1e14;

/** A date, or seconds or milliseconds since 1970. */
function parseTime(value: unknown): number | undefined {
  if (typeof value === "number" && value >= 0 && value < MAX_MILLISECONDS)
    return value < MIN_MILLISECONDS ? value * 1000 : value;
  if (typeof value !== "string") return undefined;
  return parseTimestamp(value)?.atMs;
}

const OTHER_MEMBERS_BYTES = 200;

/** Approximately, in bytes. */
export function lineSize({ text }: Pick<LogLine, "text">): number {
  return text.length + OTHER_MEMBERS_BYTES;
}

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
function levelOf(value: unknown): LogLevel | null {
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
function levelIn(text: string): LogLevel | null {
  if (ERROR_LINE.test(text)) return "error";
  const [, word = "", after = ""] = WORD.exec(text) ?? [];
  return LEVEL_DELIMITERS.includes(after) || word === word.toUpperCase() ? levelOf(word) : null;
}

/** Without a level, standard error counts as error and standard output as info. */
export function isAtLeast(minimum: LogLevel, level: LogLevel | null, stream: LogStream): boolean {
  return logLevels.indexOf(level ?? (stream === "err" ? "error" : "info")) >= logLevels.indexOf(minimum);
}

/** A shorter match at the end of a line may also be the end of an ordinary word. */
const MIN_PREFIX_LENGTH = 4;
const ESCAPE_SEQUENCE = new RegExp(
  String.raw`\u001B(?:\[[\d;:?<=>]{0,40}[ -/]{0,4}[@-~]|[\]PX^_][^\u0007\u001B]{0,4000}(?:\u0007|\u001B\\)?|[ -/]{0,4}[0-~])`,
  "g",
);

export interface LineScrubber {
  /** Also removes escape sequences. */
  readonly complete: Scrub;
  /** The end of a truncated line may be the beginning of a secret. */
  readonly truncated: Scrub;
  /** Every spelling of the known secrets. */
  readonly known: readonly string[];
}

/** In every encoding, with credentials, and values next to a secret-like name. */
export function createLineScrubber(secrets: readonly string[]): LineScrubber {
  const scrub = createScrub(secrets);
  const known = secretSpellings(secrets);
  const complete = (line: string): string =>
    maskLogLine(scrub(line.includes("\u001B") ? line.replaceAll(ESCAPE_SEQUENCE, "") : line));
  const truncated = (line: string): string => maskTrailingPrefix(complete(line), known);
  return { complete, truncated, known };
}

function maskTrailingPrefix(line: string, known: readonly string[]): string {
  const length = Math.max(0, ...known.map((secret) => trailingPrefixLength(line, secret)));
  return length < MIN_PREFIX_LENGTH ? line : `${line.slice(0, -length)}${REDACTED}`;
}

function trailingPrefixLength(line: string, secret: string): number {
  for (let length = Math.min(secret.length - 1, line.length); length >= MIN_PREFIX_LENGTH; length -= 1)
    if (line.endsWith(secret.slice(0, length))) return length;
  return 0;
}
