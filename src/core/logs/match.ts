import type { LogLine } from "../api/logs.ts";
import { escapeRegExp } from "../words/text.ts";
import { mayBeTime, printableText, shownText, timeForms } from "./shown.ts";

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
