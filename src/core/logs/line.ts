import type { LogLevel } from "../api/names.ts";
import { isRecord, parseRecord } from "../words/record.ts";
import { levelIn, levelOf } from "./level.ts";

export interface ReadLine {
  readonly atMs: number | null;
  readonly level: LogLevel | null;
  readonly text: string;
  readonly fields?: Readonly<Record<string, string>>;
}

const MOST_FIELDS = 40;
const TEXTS = ["msg", "message"];
const TIMES = ["time", "timestamp", "ts", "@timestamp"];
const LEVELS = ["level", "severity"];
/** The same in every line of a process. */
const CONSTANT = new Set(["pid", "hostname", "v"]);

/** JSON lines of pino, winston, bunyan and PM2 are parsed. */
export function readLine(line: string): ReadLine {
  const stamped = stampOf(line);
  const atMs = stamped?.atMs ?? null;
  const text = stamped?.rest ?? line;
  const json = text.startsWith("{") && text.trimEnd().endsWith("}") ? parseRecord(text) : undefined;
  const read = json && (ofPm2(json) ?? ofLogger(json));
  return read ? { ...read, atMs: read.atMs ?? atMs } : { atMs, level: levelIn(text), text };
}

/** PM2's `log_type: json` writes one object for each chunk of the process's output. */
function ofPm2({
  message,
  timestamp,
  app_name: app,
  process_id: id,
}: Readonly<Record<string, unknown>>): ReadLine | undefined {
  if (typeof message !== "string" || app === undefined || id === undefined) return undefined;
  const text = message.replace(/\n$/, "");
  const inner = text.includes("\n") ? { atMs: null, level: levelIn(text), text } : readLine(text);
  return { ...inner, atMs: inner.atMs ?? timeOf(timestamp) ?? null };
}

function ofLogger(json: Readonly<Record<string, unknown>>): ReadLine | undefined {
  const of = (names: readonly string[]) => names.find((name) => json[name] !== undefined) ?? "";
  const [textName, timeName, levelName] = [of(TEXTS), of(TIMES), of(LEVELS)];
  if (typeof json[textName] !== "string" && levelName === "") return undefined;
  const said = json[textName] ?? "";
  const text = [typeof said === "string" ? said : JSON.stringify(said), ...stacksOf(json)].join("\n");
  const others = Object.entries(json).filter(
    ([name]) => name !== textName && name !== timeName && name !== levelName && name !== "stack" && !CONSTANT.has(name),
  );
  const fields = Object.fromEntries(others.slice(0, MOST_FIELDS).map(([name, value]) => [name, fieldText(value)]));
  return {
    atMs: timeOf(json[timeName]) ?? null,
    level: levelOf(json[levelName]),
    text,
    ...(others.length > 0 && { fields }),
  };
}

function stacksOf(json: Readonly<Record<string, unknown>>): string[] {
  const errors = [json, json["err"], json["error"]];
  return errors.flatMap((error) => (isRecord(error) && typeof error["stack"] === "string" ? [error["stack"]] : []));
}

function fieldText(value: unknown): string {
  if (typeof value === "string") return value;
  const shown = isRecord(value) && typeof value["stack"] === "string" ? { ...value, stack: undefined } : value;
  return JSON.stringify(shown) ?? "";
}

const STAMP = /^\[?(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)(?:[.,](\d{1,3})\d{0,6})?\s?(Z|[+-]\d\d:?\d\d)?\]?:?(?:\s+|$)/;

interface Stamped {
  readonly atMs: number;
  readonly rest: string;
}

/** As PM2's `time: true` and most loggers write it. A time without a zone is local. */
function stampOf(line: string): Stamped | undefined {
  const match = STAMP.exec(line);
  if (match === null) return undefined;
  const [whole, date = "", time = "", fraction = "", zone = ""] = match;
  const offset = zone.length === "+0000".length ? zone.replace(/(\d\d)$/, ":$1") : zone;
  const atMs = Date.parse(`${date}T${time}.${fraction.padEnd(3, "0")}${offset}`);
  return Number.isNaN(atMs) ? undefined : { atMs, rest: line.slice(whole.length) };
}

/** Smaller numbers are seconds. */
const LEAST_MS = 1e11;
const MOST_MS = 1e14;

/** A date, or seconds or milliseconds since 1970. */
function timeOf(value: unknown): number | undefined {
  if (typeof value === "number" && value >= 0 && value < MOST_MS) return value < LEAST_MS ? value * 1000 : value;
  if (typeof value !== "string") return undefined;
  return stampOf(value)?.atMs;
}
