import type { LogLine } from "../../../api/logs.ts";
import { isAtLeast } from "../../../logs/level.ts";
import { readLine } from "../../../logs/line.ts";
import type { Matcher } from "../../../logs/match.ts";
import type { LineScrub } from "../../../logs/scrub.ts";
import type { LogFilter } from "../../../ports/logs.ts";
import type { Target } from "./targets.ts";

const LONGEST_LINE = 64 * 1024;
const NOTHING: Readonly<Record<string, string>> = {};

export interface RawLine {
  readonly bytes: Buffer;
  readonly offset: number;
  /** Bytes of the line that were not kept. */
  readonly missing: number;
  /** It has no line break, so more of it may come. */
  readonly isTorn: boolean;
}

/** A line without secrets. */
export interface ScrubbedLine {
  /** As it is in the file; searches look here. */
  readonly text: string;
  readonly atMs: number | null;
  readonly line: Omit<LogLine, "at" | "app" | "pmId" | "stream" | "file" | "offset">;
}

/** Removes the secrets of a line, then takes it apart. */
export function scrubbed({ bytes, missing, isTorn }: RawLine, scrub: LineScrub): ScrubbedLine {
  const length = bytes.at(-1) === 0x0d ? bytes.length - 1 : bytes.length;
  const whole = bytes.toString("utf8", 0, length);
  const clean = missing > 0 || isTorn ? scrub.cut(whole) : scrub.whole(whole);
  const { text, more } = shortened(clean, missing);
  const { atMs, level, text: said, fields = NOTHING } = readLine(text);
  // An escape in JSON may have hidden a secret.
  const isEscaped = text.includes("\\");
  const again = (part: string): string => (isEscaped ? scrub.whole(part) : part);
  const shownFields = Object.entries(fields).map(([name, value]) => [again(name), again(value)]);
  return {
    text,
    atMs,
    line: {
      level,
      text: more === 0 ? again(said) : `${again(said)}… (${more} bytes more)`,
      ...(shownFields.length > 0 && { fields: Object.fromEntries(shownFields) as Record<string, string> }),
    },
  };
}

function shortened(text: string, missing: number): { readonly text: string; readonly more: number } {
  const kept = text.slice(0, LONGEST_LINE);
  return { text: kept, more: missing + text.length - kept.length };
}

export interface Wanted {
  readonly matches: Matcher;
  readonly level: LogFilter["level"];
}

export function isWanted({ matches, level }: Wanted, { text, line }: ScrubbedLine, { stream }: Target): boolean {
  return matches(text) && (level === undefined || isAtLeast(level, line.level, stream));
}

/** @param atMs of the line, or of the last line before it that has a time */
export function shownLine(
  { app, pmId, stream }: Target,
  { line }: ScrubbedLine,
  { atMs, file, offset }: { readonly atMs: number | null; readonly file: string; readonly offset: number },
): LogLine {
  const { level, text, fields } = line;
  const at = atMs === null ? null : new Date(atMs).toISOString();
  return { at, app, pmId, stream, level, text, ...(fields && { fields }), file, offset };
}
