/** Whatever was thrown, as the terminal tells it: one body, one exit code, in text and in JSON. */
import { describeError, errorTable, firstIssues, locationText, SvcmError, type ErrorBody } from "../../core/index.ts";
import { TerminalFileError } from "./terminal-file-error.ts";

export interface Failure {
  readonly exitCode: number;
  /** Absent where the command has said everything itself and only chose an exit code. */
  readonly body?: ErrorBody;
  readonly hint?: string;
  /** Where a defect happened. */
  readonly stack?: string;
}

/** The command line was not understood. */
export class UsageError extends Error {
  override readonly name = "UsageError";
  readonly hint: string | undefined;

  constructor(message: string, hint?: string) {
    super(message);
    this.hint = hint;
  }
}

const WRONG_USAGE = 2;
const COULD_NOT = 3;

export function failureOf(error: unknown): Failure {
  if (error instanceof UsageError) return wrongUsage(error.message, error.hint);
  if (error instanceof TerminalFileError) {
    const { code, path, message } = error;
    return { exitCode: COULD_NOT, body: { error: "File operation failed.", details: message, code, path } };
  }
  if (isOclifError(error)) return oclifFailure(error);
  const { exitCode, body, hint } = describeError(error);
  const stack = error instanceof SvcmError ? undefined : stackOf(error);
  return { exitCode, body, ...(hint !== undefined && { hint }), ...(stack !== undefined && { stack }) };
}

/** The failure as text for standard error. The stack of a defect is told where `debug` asks for it. */
export function renderFailure({ body, hint, stack }: Failure, debug: boolean): string {
  if (body === undefined) return "";
  const { shown, more } = firstIssues(body.issues ?? []);
  const lines = [
    `Error: ${body.error}`,
    ...(shown.length === 0 ? indented(body.details) : shown.map((issue) => `  ${issueLine(issue)}`)),
    ...(more > 0 ? [`  and ${more} more`] : []),
    ...indented(body.path),
    ...(hint === undefined ? [] : [`Hint: ${hint}`]),
    ...(stack === undefined
      ? []
      : [debug ? stack : "Run it again with SVCM_DEBUG=1 to see where, and please report it."]),
  ];
  return `${lines.join("\n")}\n`;
}

function issueLine({ at, message, suggestion }: NonNullable<ErrorBody["issues"]>[number]): string {
  const where = at === undefined ? "" : `${locationText(at)}: `;
  return `${where}${message}${suggestion === undefined ? "" : ` (did you mean ${suggestion}?)`}`;
}

function indented(text: string | undefined): string[] {
  return text === undefined ? [] : text.split("\n").map((line) => `  ${line}`);
}

function wrongUsage(details: string, hint: string | undefined): Failure {
  return { exitCode: WRONG_USAGE, body: { error: "Wrong usage.", details }, ...(hint !== undefined && { hint }) };
}

interface OclifError extends Error {
  readonly oclif: { readonly exit?: number };
}

/** Told by its mark, not by its class: the class would load the whole of oclif's error rendering. */
function isOclifError(error: unknown): error is OclifError {
  return error instanceof Error && "oclif" in error && typeof error.oclif === "object";
}

const HELP_HINT = "\nSee more help with --help";

function oclifFailure(error: OclifError): Failure {
  if ("code" in error && error.code === "EEXIT") return { exitCode: error.oclif.exit ?? 0 };
  if (error.name === "ModuleLoadError") {
    const { exitCode, error: words } = errorTable.DEFECT;
    return { exitCode, body: { error: words, details: error.message }, stack: stackOf(error) };
  }
  const hint = error.message.endsWith(HELP_HINT) ? "see more help with --help" : undefined;
  return wrongUsage(error.message.replace(HELP_HINT, ""), hint);
}

function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? String(error)) : `thrown: ${String(error)}`;
}
