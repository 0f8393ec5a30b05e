/**
 * The sentences of svcm about an error of an ecosystem file. No text of the error is passed on: the file may have read
 * a secret from a place that svcm does not know. A message of Node.js only chooses a sentence.
 */
type Sentence = readonly [pattern: RegExp, words: string];

const PARSER: readonly Sentence[] = [
  [/^Unexpected end of input$/, "Unexpected end of input"],
  [/^Invalid or unexpected token$/, "Invalid or unexpected token"],
  [/^Unexpected identifier/, "Unexpected identifier"],
  [/^Unexpected string$/, "Unexpected string"],
  [/^Unexpected number$/, "Unexpected number"],
  [/^Unexpected template string$/, "Unexpected template string"],
  [/^Unexpected (?:strict mode )?reserved word$/, "Unexpected reserved word"],
  [/^Unexpected token '(?:[\p{L}_$]|\\u)/u, "Unexpected keyword"],
  [/^missing \) after argument list$/, "missing ) after argument list"],
  [/^Missing initializer in /, "Missing initializer in a declaration"],
  [/ has already been declared$/, "A name is declared twice"],
  [/^Invalid regular expression/, "Invalid regular expression"],
  [/^(?:Unterminated template|Unterminated regular expression)/i, "A template or regular expression does not end"],
  [/^Illegal return statement$/, "Illegal return statement"],
  [/^Invalid left-hand side/, "Invalid left-hand side of an assignment"],
  [/^Malformed /, "Malformed parameters"],
  [/^Cannot use import statement outside a module$/, "Cannot use import statement outside a module"],
  [/^await is only valid in /, "await is only valid in async functions and in modules"],
];

/** A sign of punctuation is harmless. */
const SIGN = /^Unexpected token '([^\p{L}\p{N}_$\s'"\\]{1,4})'/u;

export function parserWords(message: string): string | undefined {
  const [, sign] = SIGN.exec(message) ?? [];
  return sign === undefined ? wordsFor(message, PARSER) : `Unexpected token '${sign}'`;
}

const TYPE_ERRORS: readonly Sentence[] = [
  [/^Cannot (?:read|set) properties of undefined/, "a property of undefined is used"],
  [/^Cannot (?:read|set) properties of null/, "a property of null is used"],
  [/^Cannot destructure /, "undefined or null is destructured"],
  [/ is not a function$/, "what is called is not a function"],
  [/ is not a constructor$/, "what follows new is not a constructor"],
  [/ is not iterable\b/, "a value is not iterable"],
  [/^Assignment to constant variable\.$/, "a constant is assigned again"],
  [/ argument must be /, "an argument has the wrong type"],
];

/** By class, because the author of a file may write such a sentence about something else. */
const RUN: Readonly<Record<string, readonly Sentence[]>> = {
  ReferenceError: [
    [/ is not defined$/, "a name is not defined"],
    [/^Cannot access .* before initialization$/, "a name is used before its declaration"],
  ],
  TypeError: TYPE_ERRORS,
  RangeError: [[/^Maximum call stack size exceeded$/, "Maximum call stack size exceeded"]],
  SyntaxError: [
    [/ does not provide an export named /, "an imported module does not export the name that the file imports"],
    [/\bJSON\b/, "a text is not valid JSON"],
  ],
};

export function runWords(className: string, message: string): string | undefined {
  return wordsFor(message, RUN[className] ?? []);
}

function wordsFor(message: string, sentences: readonly Sentence[]): string | undefined {
  return sentences.find(([pattern]) => pattern.test(message))?.[1];
}

const SPECIFIER = /(?:\(|\bfrom|\bimport)\s*(["'`])([\w@./-]{1,200})\1/g;

/** The name of a missing module as the source has it. A computed name may be a secret. */
export function writtenModule(missing: string, source: string): string | undefined {
  return [...source.matchAll(SPECIFIER)]
    .map(([, , name = ""]) => name)
    .find((name) => name === missing || name.startsWith(`${missing}/`) || isEnding(name, missing));
}

/** An ES module names a missing file by its whole path. */
function isEnding(name: string, missing: string): boolean {
  return /^\.\.?\//.test(name) && missing.startsWith("/") && missing.endsWith(name.replace(/^(?:\.\.?\/)+/, "/"));
}
