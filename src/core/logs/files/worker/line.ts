import { basename } from "node:path";
import { isAtLeast, parseLine, type LineScrubber } from "../../line.ts";
import type { Matcher } from "../../match.ts";
import type { LogFilter } from "../../port-logs.ts";
import { pluralize } from "../../../words/text.ts";
import type { LineSource, OutputLine } from "../protocol.ts";
import type { Target } from "./process-list.ts";
import { NEWLINE } from "./log-file.ts";

export interface RawLine {
  readonly text: string;
  readonly size: number;
  readonly offset: number;
  /** Dropped, because the line is too long. */
  readonly missing: number;
  readonly isTorn: boolean;
  readonly block?: Block;
}

/** Searching each line separately for secrets takes four times as long. */
export class Block {
  readonly #text: string;
  #isClean: boolean | undefined;

  constructor(text: string) {
    this.#text = text;
  }

  isCleanFor({ complete }: LineScrubber): boolean {
    return (this.#isClean ??= complete(this.#text) === this.#text);
  }
}

export function splitLines(bytes: Buffer, start: number): RawLine[] {
  const text = bytes.toString();
  const block = new Block(text);
  const lines: RawLine[] = [];
  // In ASCII, each character is one byte.
  const isAscii = text.length === bytes.length;
  let from = 0;
  for (const line of isAscii ? text.split("\n") : splitTexts(bytes)) {
    const size = line.length;
    if (size > 0) lines.push({ text: line.toString(), size, offset: start + from, missing: 0, isTorn: false, block });
    from += size + 1;
  }
  return lines;
}

function* splitTexts(bytes: Buffer): Generator<Buffer> {
  for (let from = 0; from <= bytes.length;) {
    const next = bytes.indexOf(NEWLINE, from);
    const to = next === -1 ? bytes.length : next;
    yield bytes.subarray(from, to);
    from = to + 1;
  }
}

/** A program may write lines out of order. */
export const SLACK_MS = 60_000;
const MAX_LINE_LENGTH = 64 * 1024;

export interface ScrubbedLine {
  readonly atMs: number | null;
  readonly laterMs?: number | undefined;
  readonly level: OutputLine["level"];
  readonly message: string;
  /** Of the line, which is too long to be shown whole. */
  readonly missing: number;
  readonly fields: OutputLine["fields"];
}

export function scrubLine(raw: RawLine, scrub: LineScrubber): ScrubbedLine {
  const scrubbed = removeSecrets(raw, scrub);
  const text = scrubbed.slice(0, MAX_LINE_LENGTH);
  const missing = raw.missing + scrubbed.length - text.length;
  const { atMs, laterMs, level, text: unscrubbed, fields: members } = parseLine(text);
  // A JSON escape may have hidden a secret.
  const isEscaped = text.includes("\\");
  const message = isEscaped ? scrub.complete(unscrubbed) : unscrubbed;
  const fields = members && isEscaped ? scrubFields(members, scrub) : members;
  return { atMs, laterMs, level, message, missing, fields };
}

function scrubFields(fields: NonNullable<OutputLine["fields"]>, { complete }: LineScrubber): OutputLine["fields"] {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [complete(name), complete(value)]));
}

function removeSecrets({ text, missing, isTorn, block }: RawLine, scrub: LineScrubber): string {
  const line = text.endsWith("\r") ? text.slice(0, -1) : text;
  if (block?.isCleanFor(scrub)) return line;
  return missing > 0 || isTorn ? scrub.truncated(line) : scrub.complete(line);
}

export interface LineFilter {
  readonly matches: Matcher;
  readonly level: LogFilter["level"];
}

export function matchesFilter(
  { matches, level: minimum }: LineFilter,
  { message: text, fields, level }: ScrubbedLine,
  { stream }: Target,
  readTime: () => number | null,
): boolean {
  return matches({ text, fields, readTime }) && (minimum === undefined || isAtLeast(minimum, level, stream));
}

export function outputLine(
  source: LineSource,
  { level, message, missing, fields }: ScrubbedLine,
  { atMs, offset }: { readonly atMs: number | null; readonly offset: number },
): OutputLine {
  const text = missing === 0 ? message : `${message}… (${pluralize(missing, "byte")} more)`;
  return { source, atMs, level, text, fields, offset };
}

export function createLineSource({ app, pmId, stream }: Target, path: string): LineSource {
  return { app, pmId, stream, file: basename(path) };
}

/** The latest time that a line can have, if one that follows it has `nextMs`. */
export function momentBefore({ atMs, laterMs }: Pick<ScrubbedLine, "atMs" | "laterMs">, nextMs: number): number | null {
  return laterMs !== undefined && laterMs <= nextMs + SLACK_MS ? laterMs : atMs;
}
