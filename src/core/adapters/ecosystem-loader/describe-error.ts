import { foreignCode, type ErrorCode } from "../../api/code.ts";
import { existsSync } from "node:fs";
import { createScrub } from "../../pm2/scrub.ts";
import { maskLogLine } from "../../secrets/redact.ts";
import { isSecretVariable } from "../../secrets/secret-value.ts";
import { errorCode } from "../../words/thrown.ts";
import { YamlSyntaxError } from "../../yaml/syntax-error.ts";
import type { Outcome, FileLocation } from "./outcome.ts";
import { ExportError, TooLargeError } from "./pick-apps.ts";

type Failure = Extract<Outcome, { ok: false }>;

const ERROR_CLASSES = [SyntaxError, TypeError, ReferenceError, RangeError, URIError, EvalError] as const;

/** With the message of an exception, but without secrets. Even reading the thrown value may throw. */
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
    return { ...fail("ECOSYSTEM_FILE_SYNTAX", "the file is not valid YAML"), at: { file, line, column } };
  }
  if (!(thrown instanceof Error)) {
    const text = typeof thrown === "string" ? `: ${shownMessage(thrown)}` : "";
    return fail("ECOSYSTEM_FILE_THREW", `the file threw a value that is not an Error${text}`);
  }
  const code = errorCode(thrown).replace(/^ERR_MODULE_NOT_FOUND$/, "MODULE_NOT_FOUND");
  // The file itself may call `JSON.parse`.
  const parsedAt = thrown instanceof SyntaxError ? syntaxLocation(thrown.stack) : undefined;
  const at = parsedAt ?? frameLocation(thrown.stack);
  return { ...describeByCode(thrown, code, { file, isParsed: parsedAt !== undefined }), at };
}

function describeByCode(
  error: Error,
  code: string,
  { file, isParsed }: { readonly file: string; readonly isParsed: boolean },
): Failure {
  const moduleError = moduleFailure(error, code);
  if (moduleError !== undefined) return moduleError;
  if (/^E[A-Z]+$/.test(code) && "path" in error && error.path === file) {
    return fail(foreignCode(code), code === "EACCES" ? "the file may not be read" : "the file cannot be read");
  }
  const message = shownMessage(isParsed ? withoutSource(error.message) : error.message);
  const reason = message === "" ? "" : `: ${message}`;
  if (isParsed) {
    const language = file.endsWith(".json") ? "JSON" : "JavaScript";
    return fail("ECOSYSTEM_FILE_SYNTAX", `the file is not valid ${language}${reason}`);
  }
  const name = ERROR_CLASSES.find((Kind) => error instanceof Kind)?.name ?? "Error";
  return fail("ECOSYSTEM_FILE_THREW", `the file threw ${name}${reason}`);
}

const MAX_MESSAGE_LENGTH = 200;
/** `JSON.parse` quotes the text around the error. */
const QUOTED_JSON = /,? (?:\.\.\.)?"[^]*"(?:\.\.\.)? is not valid JSON$/;

/** The parser quotes words of the file, which may be a part of a secret. A quoted sign is not a word. */
function withoutSource(message: string): string {
  const [text = ""] = message.replace(QUOTED_JSON, ", which is not valid JSON").split(/: \//);
  return text.replaceAll(/ ?'[^']*[\p{L}\p{N}_$][^']*'/gu, "").trim();
}

/** The file may have read secrets from another file into its environment. */
function shownMessage(message: string): string {
  const secrets = Object.entries(process.env).flatMap(([name, value = ""]) =>
    isSecretVariable(name, value) ? [value] : [],
  );
  const [line = ""] = message.replace(QUOTED_JSON, ", which is not valid JSON").trim().split("\n");
  const printable = line.replaceAll(/[\p{Cc}\p{Cf}]/gu, "").slice(0, MAX_MESSAGE_LENGTH);
  return maskLogLine(createScrub(secrets)(printable)).replace(/\.$/, "");
}

function moduleFailure(error: Error, code: string): Failure | undefined {
  if (code === "MODULE_NOT_FOUND") return missingModule(error.message);
  if (code === "ERR_REQUIRE_ASYNC_MODULE")
    return fail("ECOSYSTEM_FILE_ASYNC", "the file awaits at its top level, which PM2 cannot load");
  if (!(error instanceof ReferenceError) || !error.message.includes(" in ES module scope")) return undefined;
  return fail(
    "ECOSYSTEM_FILE_ES_MODULE",
    'Node.js runs the file as an ES module, which has no "module" or "require"; rename it to .config.cjs',
  );
}

function missingModule(message: string): Failure {
  const [, name] = /^Cannot find (?:module|package) '([\w@./-]{1,200})'/.exec(message) ?? [];
  const moduleText = name === undefined ? "a module" : `the module "${name}"`;
  return fail("ECOSYSTEM_MODULE_NOT_FOUND", `the file needs ${moduleText}, which is not installed`);
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
