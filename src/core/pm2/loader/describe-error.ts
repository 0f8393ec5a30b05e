import { foreignCode, type ErrorCode } from "../../api/issue.ts";
import { existsSync, readFileSync } from "node:fs";
import { getSystemErrorMap } from "node:util";
import { errorCode } from "../../words/thrown.ts";
import { YamlSyntaxError } from "../../yaml/load.ts";
import type { Outcome, FileLocation } from "./outcome.ts";
import { ExportError, TooLargeError } from "./pick-apps.ts";

type Failure = Extract<Outcome, { ok: false }>;

const MAX_SOURCE_LENGTH = 2 ** 20;
const ERROR_CLASSES = [SyntaxError, TypeError, ReferenceError, RangeError, URIError, EvalError] as const;

/** Class, code and position, but no text of the error. Even reading the thrown value may throw. */
export function describeError(thrown: unknown, file: string): Failure {
  try {
    return describe(thrown, file);
  } catch {
    return { ok: false, code: "ECOSYSTEM_FILE_THREW", reason: "the file threw a value that cannot be read" };
  }
}

function describe(thrown: unknown, file: string): Failure {
  if (thrown instanceof ExportError) return fail("ECOSYSTEM_EXPORT_INVALID", thrown.message);
  if (thrown instanceof TooLargeError)
    return fail("ECOSYSTEM_FILE_TOO_LARGE", "it exports more data than a declaration can have");
  if (thrown instanceof YamlSyntaxError) {
    const { line, column } = thrown;
    return { ...fail("ECOSYSTEM_FILE_SYNTAX", "the file is not valid YAML"), at: discreet({ file, line, column }) };
  }
  if (!(thrown instanceof Error)) return fail("ECOSYSTEM_FILE_THREW", "the file threw a value that is not an Error");
  // The file itself may call `JSON.parse`.
  const parsedAt = thrown instanceof SyntaxError ? syntaxLocation(thrown.stack) : undefined;
  const at = parsedAt ?? frameLocation(thrown.stack);
  const failure = moduleFailure(thrown, at?.file ?? file) ?? ownFailure(thrown, file);
  const described = failure ?? (parsedAt === undefined ? runFailure(thrown) : parserFailure(thrown, file));
  return { ...described, at: discreet(at) };
}

const MODULE = /\brequire\((["'])[\w@./:-]+\1\)/g;
const HAS_NO_VALUE = { code: /^[^"'`\d/$]*$/, data: /^[\s[{-]*(?:[\w.-]+|"[\w.-]+")?\s*:?\s*$/ } as const;

/** Behind a value, the column would show how long the value is, which may be a secret. */
function discreet(at: FileLocation | undefined): FileLocation | undefined {
  if (at === undefined) return undefined;
  const { file, line, column } = at;
  const text = readSource(file).split("\n")[line - 1];
  const before = text?.slice(0, (column ?? 1) - 1).replaceAll(MODULE, "");
  const isSafe = before !== undefined && HAS_NO_VALUE[/\.(?:ya?ml|json\w*)$/.test(file) ? "data" : "code"].test(before);
  return isSafe ? { file, line, column } : { file, line };
}

/** The ecosystem file itself cannot be read. */
function ownFailure(error: Error, file: string): Failure | undefined {
  const code = errorCode(error);
  if (systemText(code) === undefined || !("path" in error) || error.path !== file) return undefined;
  return fail(foreignCode(code), code === "EACCES" ? "the file may not be read" : "the file cannot be read");
}

function parserFailure({ message }: Error, file: string): Failure {
  const language = file.endsWith(".json") ? "JSON" : "JavaScript";
  return fail("ECOSYSTEM_FILE_SYNTAX", `the file is not valid ${language}${detail(parserWords(message))}`);
}

function runFailure(error: Error): Failure {
  const name = ERROR_CLASSES.find((Kind) => error instanceof Kind)?.name ?? "Error";
  return fail(
    "ECOSYSTEM_FILE_THREW",
    `the file threw ${name}${detail(systemWords(error) ?? runWords(name, error.message))}`,
  );
}

function detail(words: string | undefined): string {
  return words === undefined ? "" : `: ${words}`;
}

/** Node.js's own codes, and the exit code of a command that the file ran. */
function systemWords(error: Error): string | undefined {
  const code = errorCode(error);
  const text = systemText(code);
  if (text !== undefined) return `${code}, ${text}`;
  const { status } = error as { readonly status?: unknown };
  const isExitCode = Number.isInteger(status) && Number(status) > 0 && Number(status) < 256;
  return isExitCode && "pid" in error ? `a command ended with exit code ${Number(status)}` : undefined;
}

function systemText(code: string): string | undefined {
  return [...getSystemErrorMap().values()].find(([name]) => name === code)?.[1];
}

function moduleFailure(error: Error, requiring: string): Failure | undefined {
  const code = errorCode(error);
  if (code === "MODULE_NOT_FOUND" || code === "ERR_MODULE_NOT_FOUND") return missingModule(error.message, requiring);
  if (code === "ERR_REQUIRE_ASYNC_MODULE")
    return fail("ECOSYSTEM_FILE_ASYNC", "the file awaits at its top level, which PM2 cannot load");
  if (!(error instanceof ReferenceError) || !error.message.includes(" in ES module scope")) return undefined;
  return fail(
    "ECOSYSTEM_FILE_ES_MODULE",
    'Node.js runs the file as an ES module, which has no "module" or "require"; rename it to .config.cjs',
  );
}

function missingModule(message: string, requiring: string): Failure {
  const [, missing = ""] = /^Cannot find (?:module|package) '([\w@./-]{1,200})'/.exec(message) ?? [];
  const [, importing = requiring] = / imported from (\/[^\n]{1,1000})/.exec(message) ?? [];
  const name = missing === "" ? undefined : writtenModule(missing, readSource(importing));
  if (name !== undefined)
    return fail("ECOSYSTEM_MODULE_NOT_FOUND", `the file needs the module "${name}", which is not installed`);
  return fail("ECOSYSTEM_MODULE_NOT_FOUND", "the file computes the name of a module, and that module is not installed");
}

function readSource(file: string): string {
  try {
    return readFileSync(file, "utf8").slice(0, MAX_SOURCE_LENGTH);
  } catch {
    return "";
  }
}

function fail(code: ErrorCode, reason: string): Failure {
  return { ok: false, code, reason };
}

/** The stack begins with `file:line`, the source line, and a caret below it. */
function syntaxLocation(stack = ""): FileLocation | undefined {
  const [head = "", , caret = ""] = stack.split("\n", 3);
  const [, location = "", line] = /^(.+):(\d+)$/.exec(head) ?? [];
  const file = existingPath(location);
  if (file === undefined) return undefined;
  const column = /^\s*\^/.test(caret) ? caret.indexOf("^") + 1 : undefined;
  return { file, line: Number(line), column };
}

function frameLocation(stack = ""): FileLocation | undefined {
  for (const frame of stack.split("\n").slice(0, 50)) {
    const [, location = "", line, column] = /^\s+at (?:.*\()?((?:file:\/)?\/[^():]+):(\d+):(\d+)\)?$/.exec(frame) ?? [];
    const file = existingPath(location);
    if (file !== undefined && !isOwnFrame(file)) return { file, line: Number(line), column: Number(column) };
  }
  return undefined;
}

function existingPath(location: string): string | undefined {
  const path = location.startsWith("file:") ? decodeURIComponent(new URL(location).pathname) : location;
  return path.startsWith("/") && existsSync(path) ? path : undefined;
}

function isOwnFrame(file: string): boolean {
  return file === __filename || file.includes("/node_modules/tsx/");
}

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

/** An ES module names a missing file by its whole path, also that of an installed package. */
function isEnding(name: string, missing: string): boolean {
  if (/^[\w@]/.test(name)) return missing.endsWith(`/node_modules/${name}`);
  return /^\.\.?\//.test(name) && missing.startsWith("/") && missing.endsWith(name.replace(/^(?:\.\.?\/)+/, "/"));
}
