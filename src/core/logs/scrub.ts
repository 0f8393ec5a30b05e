import { scrubOf, spellingsOf, type Scrub } from "../pm2/scrub.ts";
import { maskLogLine, REDACTED } from "../secrets/redact.ts";

/** A shorter match at the end of a line may also be the end of an ordinary word. */
const LEAST_BEGUN = 4;
/** Colours, cursor movements, titles. */
const SEQUENCE = new RegExp(
  String.raw`\u001B(?:\[[\d;:?<=>]{0,40}[ -/]{0,4}[@-~]|[\]PX^_][^\u0007\u001B]{0,4000}(?:\u0007|\u001B\\)?|[ -/]{0,4}[0-~])`,
  "g",
);

export interface LineScrub {
  /** Also removes escape sequences. */
  readonly whole: Scrub;
  /** The end of a truncated line may be the beginning of a secret. */
  readonly cut: Scrub;
}

/** In every encoding, with credentials, and values next to a secret-like name. */
export function lineScrub(secrets: readonly string[]): LineScrub {
  const scrub = scrubOf(secrets);
  const known = spellingsOf(secrets);
  const whole = (line: string): string => maskLogLine(scrub(plain(line)));
  return { whole, cut: (line) => withoutBegun(whole(line), known) };
}

function plain(line: string): string {
  return line.includes("\u001B") ? line.replaceAll(SEQUENCE, "") : line;
}

function withoutBegun(line: string, known: readonly string[]): string {
  const begun = Math.max(0, ...known.map((secret) => begunIn(line, secret)));
  return begun < LEAST_BEGUN ? line : `${line.slice(0, -begun)}${REDACTED}`;
}

/** The line may end with a prefix of the secret. */
function begunIn(line: string, secret: string): number {
  for (let length = Math.min(secret.length - 1, line.length); length >= LEAST_BEGUN; length -= 1)
    if (line.endsWith(secret.slice(0, length))) return length;
  return 0;
}
