import { escapeRegExp } from "../words/escape-reg-exp.ts";

export interface Search {
  readonly grep?: string | undefined;
  readonly regexp?: string | undefined;
  readonly ignoreCase?: boolean | undefined;
}

export type Matcher = (line: string) => boolean;

/** Without a pattern, every line matches. @throws {SyntaxError} */
export function createMatcher({ grep, regexp, ignoreCase = false }: Search): Matcher {
  const patterns = [...(grep === undefined ? [] : [escapeRegExp(grep)]), ...(regexp === undefined ? [] : [regexp])].map(
    (source) => new RegExp(source, ignoreCase ? "i" : ""),
  );
  const isPlain = regexp === undefined && !ignoreCase;
  if (isPlain) return grep === undefined ? () => true : (line) => line.includes(grep);
  return (line) => patterns.every((pattern) => pattern.test(line));
}
