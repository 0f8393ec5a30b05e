import type { LogLine } from "../api/logs.ts";
import { escapeRegExp } from "../words/text.ts";
import { toPrintable } from "../findings/cells.ts";
import { formatFields } from "./fields-text.ts";

export interface Search {
  readonly grep?: string | undefined;
  readonly regexp?: string | undefined;
  readonly ignoreCase?: boolean | undefined;
}

/** A line after decoding and masking. A search knows nothing of the line in the file, so it cannot find a secret. */
export interface SearchableLine {
  readonly text: string;
  readonly fields: LogLine["fields"];
  /** A line without a time has that of the line before it, which costs a look. */
  readonly readTime: () => number | null;
}

export type Matcher = (line: SearchableLine) => boolean;

/** Searches what is shown. Without a pattern, every line matches. @throws {SyntaxError} */
export function createMatcher({ grep, regexp, ignoreCase = false }: Search): Matcher {
  const flags = ignoreCase ? "i" : "";
  const matchers = [
    ...(grep === undefined ? [] : [createTextMatcher(grep, flags)]),
    ...(regexp === undefined ? [] : [createPatternMatcher(new RegExp(regexp, flags))]),
  ];
  if (matchers.length === 0) return () => true;
  return ({ text, fields, readTime }) => {
    const shown = shownText(text, fields);
    return matchers.every((matches) => matches(shown, readTime));
  };
}

type ShownMatcher = (shown: string, readTime: SearchableLine["readTime"]) => boolean;

function createTextMatcher(grep: string, flags: string): ShownMatcher {
  const pattern = new RegExp(escapeRegExp(grep), flags);
  const includes = flags === "" ? (text: string) => text.includes(grep) : (text: string) => pattern.test(text);
  const isTime = mayBeTime(grep);
  return (shown, readTime) => {
    if (isInText(includes, shown)) return true;
    const atMs = isTime ? readTime() : null;
    return atMs !== null && timeForms(atMs).some(includes);
  };
}

function createPatternMatcher(pattern: RegExp): ShownMatcher {
  const matches = (text: string): boolean => pattern.test(text);
  return (shown, readTime) => {
    if (isInText(matches, shown)) return true;
    const atMs = readTime();
    return atMs !== null && timeForms(atMs).some((time) => matches(`${time}  ${shown}`));
  };
}

function isInText(matches: (text: string) => boolean, shown: string): boolean {
  if (matches(shown)) return true;
  const printable = printableText(shown);
  return printable !== undefined && matches(printable);
}

/** A terminal shows the other members behind the first line of a text, the console behind the last. */
export function shownText(text: string, fields: LogLine["fields"]): string {
  const members = formatFields(fields);
  const end = members === "" ? -1 : text.indexOf("\n");
  return end === -1 ? text + members : `${text.slice(0, end)}${members}${text.slice(end)}${members}`;
}

/** A terminal shows a tab as a space, and a control character as U+FFFD. `undefined` if nothing differs. */
export function printableText(text: string): string | undefined {
  if (/^[\x20-\x7e]*$/.test(text)) return undefined;
  const printable = text.split("\n").map(toPrintable).join("\n");
  return printable === text ? undefined : printable;
}

const TIME_SHAPES = ["dddd-dd-dd dd:dd:ddz", "dddd-dd-ddtdd:dd:dd.dddz"];
/** A shorter text is more often a number or an option than a part of a time. */
const MIN_TIME_LENGTH = 5;

/** True if the text can be part of the time of a line, such as `08:15:` or `2026-01-31`. */
export function mayBeTime(text: string): boolean {
  if (text.length < MIN_TIME_LENGTH || /[^\dtz:. -]/i.test(text) || !/\D/.test(text)) return false;
  const shape = text.toLowerCase().replaceAll(/\d/g, "d");
  return TIME_SHAPES.some((time) => time.includes(shape));
}

/** In the terminal, and in JSON. */
function timeForms(atMs: number): readonly string[] {
  const iso = new Date(atMs).toISOString();
  return [`${iso.slice(0, "2026-01-31T08:00:00".length).replace("T", " ")}Z`, iso];
}
