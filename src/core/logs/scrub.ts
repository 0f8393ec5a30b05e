import { createScrub, secretSpellings, type Scrub } from "../pm2/scrub.ts";
import { maskLogLine, REDACTED } from "../secrets/redact.ts";

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
