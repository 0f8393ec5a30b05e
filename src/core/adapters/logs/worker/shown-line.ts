import { basename } from "node:path";
import { isAtLeast } from "../../../logs/level.ts";
import { readLine } from "../../../logs/line.ts";
import type { Matcher } from "../../../logs/match.ts";
import type { LineScrub } from "../../../logs/scrub.ts";
import type { LogFilter } from "../../../ports/logs.ts";
import type { KnownLine, LineSource } from "../packed.ts";
import type { RawLine } from "./block.ts";
import type { Target } from "./targets.ts";
import { pluralize } from "../../../words/pluralize.ts";

const LONGEST_LINE = 64 * 1024;

export interface ScrubbedLine {
  /** As in the file, for searches. */
  readonly text: string;
  readonly atMs: number | null;
  readonly level: KnownLine["level"];
  readonly said: string;
  readonly fields: KnownLine["fields"];
}

export function scrubbed(raw: RawLine, scrub: LineScrub): ScrubbedLine {
  const whole = withoutSecrets(raw, scrub);
  const text = whole.slice(0, LONGEST_LINE);
  const more = raw.missing + whole.length - text.length;
  const { atMs, level, text: found, fields: members } = readLine(text);
  // A JSON escape may have hidden a secret.
  const isEscaped = text.includes("\\");
  const said = isEscaped ? scrub.whole(found) : found;
  const fields = members && isEscaped ? scrubbedFields(members, scrub) : members;
  return { text, atMs, level, said: more === 0 ? said : `${said}… (${pluralize(more, "byte")} more)`, fields };
}

function scrubbedFields(fields: NonNullable<KnownLine["fields"]>, { whole }: LineScrub): KnownLine["fields"] {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [whole(name), whole(value)]));
}

function withoutSecrets({ text, missing, isTorn, block }: RawLine, scrub: LineScrub): string {
  const whole = text.endsWith("\r") ? text.slice(0, -1) : text;
  if (block?.isCleanFor(scrub)) return whole;
  return missing > 0 || isTorn ? scrub.cut(whole) : scrub.whole(whole);
}

export interface Wanted {
  readonly matches: Matcher;
  readonly level: LogFilter["level"];
}

export function isWanted({ matches, level: least }: Wanted, line: ScrubbedLine, { stream }: Target): boolean {
  return matches(line.text) && (least === undefined || isAtLeast(least, line.level, stream));
}

export function knownLine(
  source: LineSource,
  { level, said, fields }: ScrubbedLine,
  { atMs, offset }: { readonly atMs: number | null; readonly offset: number },
): KnownLine {
  return { source, atMs, level, text: said, fields, offset };
}

export function lineSource({ app, pmId, stream }: Target, path: string): LineSource {
  return { app, pmId, stream, file: basename(path) };
}
