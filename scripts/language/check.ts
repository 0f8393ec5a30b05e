import { declaredNames, markdownProse, typescriptProse, type Prose } from "./prose.ts";
import { FORBIDDEN_OPENING, MAX_WORDS, NAME_RULES, PROPER_USES, WORD_RULES } from "./words.ts";

export interface Finding {
  readonly path: string;
  readonly line: number;
  readonly message: string;
}

/** `path` is relative to the repository. */
export function checkLanguage(path: string, source: string): Finding[] {
  const prose = path.endsWith(".md")
    ? markdownProse(source)
    : typescriptProse(path, source, /(?:^|\/)(?:src|config)\//.test(path));
  return prose
    .flatMap((each) => messagesOf(path, each).map((message) => ({ path, line: each.line, message })))
    .concat(path.endsWith(".md") ? [] : nameFindings(path, source))
    .toSorted((one, other) => one.line - other.line);
}

function messagesOf(path: string, { kind, text }: Prose): string[] {
  const maxWords = kind === "paragraph" ? MAX_WORDS.docs : MAX_WORDS.code;
  return sentences(text).flatMap((sentence, index) => {
    if (PROPER_USES.some((use) => path.endsWith(use.file) && sentence.includes(use.text))) return [];
    return [
      ...opening(kind, sentence, index),
      ...WORD_RULES.flatMap(({ pattern, instead }) =>
        Array.from(sentence.matchAll(pattern), ([found]) => `"${found}" in "${shortened(sentence)}": write ${instead}`),
      ),
      ...(kind === "message" && !/^\p{Lu}/u.test(sentence) ? [] : tooLong(sentence, maxWords)),
    ];
  });
}

function nameFindings(path: string, source: string): Finding[] {
  return declaredNames(path, source).flatMap(({ name, line }) =>
    NAME_RULES.filter(({ pattern }) => name.split(/_|(?<=[a-z\d])(?=[A-Z])/).some((part) => pattern.test(part))).map(
      ({ instead }) => ({ path, line, message: `The name ${name}: write ${instead}` }),
    ),
  );
}

const sentences = (text: string): string[] =>
  text
    .split(/(?<=[.!?][)"]?)(?<!\b(?:e\.g|i\.e|etc|vs|cf)\.)\s+/)
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence !== "");

/**
 * Questions, headings, titles and messages may begin with an interrogative; the first sentence of a comment may not.
 */
function opening(kind: Prose["kind"], sentence: string, index: number): string[] {
  const word = FORBIDDEN_OPENING.exec(sentence)?.[0];
  if (word === undefined || kind === "heading" || kind === "title") return [];
  if (sentence.endsWith("?") && (kind !== "comment" || index > 0)) return [];
  if (kind === "message" && /^(?:Which|How)\b/.test(word)) return [];
  return [
    `A ${kind} that begins with "${word}": "${shortened(sentence)}": begin with the subject, "Returns", "If" or "When"`,
  ];
}

function tooLong(sentence: string, maxWords: number): string[] {
  const count = sentence.match(/\S*[\p{L}\d]\S*/gu)?.length ?? 0;
  return count > maxWords ? [`${count} words in "${shortened(sentence)}": at most ${maxWords}`] : [];
}

const shortened = (sentence: string): string => (sentence.length > 90 ? `${sentence.slice(0, 89)}…` : sentence);
