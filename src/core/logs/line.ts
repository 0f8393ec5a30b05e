import type { LogLevel } from "../api/names.ts";
import { isRecord, recordIn } from "../words/record.ts";
import { levelIn, levelOf } from "./level.ts";
import { stampOf, timeOf } from "./stamp.ts";

export interface ReadLine {
  /** Milliseconds since 1970; null if the line has no time. */
  readonly atMs: number | null;
  readonly level: LogLevel | null;
  readonly text: string;
  readonly fields?: Readonly<Record<string, string>>;
}

const MOST_FIELDS = 40;
const TEXTS = ["msg", "message"];
const TIMES = ["time", "timestamp", "ts", "@timestamp"];
const LEVELS = ["level", "severity"];
/** Those that are the same in every line of a process. */
const CONSTANT = new Set(["pid", "hostname", "v"]);

/** A line of a log: its time, its level, and its text. A line of JSON (pino, winston, bunyan, PM2) is taken apart. */
export function readLine(line: string): ReadLine {
  const stamped = stampOf(line);
  const atMs = stamped?.atMs ?? null;
  const text = stamped?.rest ?? line;
  const json = text.startsWith("{") && text.trimEnd().endsWith("}") ? recordIn(text) : undefined;
  const read = json && (ofPm2(json) ?? ofLogger(json));
  return read ? { ...read, atMs: read.atMs ?? atMs } : { atMs, level: levelIn(text), text };
}

/** PM2's `log_type: json` has one object for each chunk that the process wrote. */
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
