import { escapeRegExp } from "../../../words/escape-reg-exp.ts";
import type { Search } from "../../../logs/match.ts";
import { REDACTED } from "../../../secrets/redact.ts";
import { rangeAt, type Range } from "./regions.ts";

/** Last line first. The bytes still contain secrets, so each line is matched again after scrubbing. */
export type Candidates = (bytes: Buffer) => Iterable<Range>;

/** `undefined` if every line must be checked. */
export function candidatesOf({ grep, regexp, ignoreCase = false }: Search): Candidates | undefined {
  if (grep === undefined || regexp !== undefined || mayMeetMask(grep)) return undefined;
  if (!ignoreCase) {
    const needle = Buffer.from(grep);
    return (bytes) => hits(bytes, (from) => bytes.indexOf(needle, from));
  }
  if (!/^[\x20-\x7e]+$/.test(grep)) return undefined;
  const pattern = new RegExp(escapeRegExp(grep), "gi");
  return (bytes) => {
    const text = bytes.toString("latin1");
    return hits(bytes, (from) => {
      pattern.lastIndex = from;
      return pattern.exec(text)?.index ?? -1;
    });
  };
}

/** A masked secret reads `[REDACTED]`, which is not in the file. */
function mayMeetMask(grep: string): boolean {
  return /[[\]]/.test(grep) || REDACTED.toLowerCase().includes(grep.toLowerCase());
}

function hits(bytes: Buffer, next: (from: number) => number): Range[] {
  const found: Range[] = [];
  for (let at = next(0); at !== -1;) {
    const range = rangeAt(bytes, at);
    found.push(range);
    if (range.to >= bytes.length) break;
    at = next(range.to + 1);
  }
  return found.toReversed();
}
