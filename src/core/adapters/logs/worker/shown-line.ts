import { basename } from "node:path";
import { isAtLeast } from "../../../logs/level.ts";
import { readLine } from "../../../logs/line.ts";
import type { Matcher } from "../../../logs/match.ts";
import type { LineScrub } from "../../../logs/scrub.ts";
import type { LogFilter } from "../../../ports/logs.ts";
import type { KnownLine, LineSource } from "../packed.ts";
import type { RawLine } from "./block.ts";
import type { Target } from "./targets.ts";
import { counted } from "../../../words/counted.ts";

const LONGEST_LINE = 64 * 1024;

/** A line without secrets. */
export interface ScrubbedLine {
  /** As it is in the file. Searches use this text. */
  readonly text: string;
  readonly atMs: number | null;
  readonly line: Pick<KnownLine, "level" | "text" | "fields">;
}

/** Removes the secrets of a line, then parses it. */
export function scrubbed(raw: RawLine, scrub: LineScrub): ScrubbedLine {
  const { text, more } = shortened(withoutSecrets(raw, scrub), raw.missing);
  const { atMs, level, text: said, fields } = readLine(text);
  // A JSON escape may have hidden a secret.
  const isEscaped = text.includes("\\");
  const again = (part: string): string => (isEscaped ? scrub.whole(part) : part);
  return {
    text,
    atMs,
    line: {
      level,
      text: more === 0 ? again(said) : `${again(said)}… (${counted(more, "byte")} more)`,
      fields: fields && Object.fromEntries(Object.entries(fields).map(([name, value]) => [again(name), again(value)])),
    },
  };
}

function withoutSecrets({ text, missing, isTorn, block }: RawLine, scrub: LineScrub): string {
  const whole = text.endsWith("\r") ? text.slice(0, -1) : text;
  if (block?.isCleanFor(scrub)) return whole;
  return missing > 0 || isTorn ? scrub.cut(whole) : scrub.whole(whole);
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

/** @param atMs the time of the line, or of the last line before it that has a time */
export function knownLine(
  source: LineSource,
  { line: { level, text, fields } }: ScrubbedLine,
  { atMs, offset }: { readonly atMs: number | null; readonly offset: number },
): KnownLine {
  return { source, atMs, level, text, fields, offset };
}

export function lineSource({ app, pmId, stream }: Target, path: string): LineSource {
  return { app, pmId, stream, file: basename(path) };
}
