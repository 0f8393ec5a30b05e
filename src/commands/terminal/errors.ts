import { foreignCode } from "../../core/api/issue.ts";
import type { ErrorBody } from "../../core/index.ts";

const WRONG_USAGE = 2;
const COULD_NOT = 3;

export abstract class CommandLineError extends Error {
  readonly exitCode: number;
  readonly body: ErrorBody;
  readonly hint: string | undefined;

  constructor(exitCode: number, body: ErrorBody & { readonly details: string }, hint?: string) {
    super(body.details);
    this.exitCode = exitCode;
    this.body = body;
    this.hint = hint;
  }
}

export class UsageError extends CommandLineError {
  override readonly name = "UsageError";

  constructor(details: string, hint?: string, code: "WRONG_USAGE" | "COMMAND_NOT_FOUND" = "WRONG_USAGE") {
    super(WRONG_USAGE, { error: "Wrong usage.", code, details }, hint);
  }
}

export class TerminalFileError extends CommandLineError {
  override readonly name = "TerminalFileError";

  constructor(code: string, path: string, details: string) {
    super(COULD_NOT, { error: "File operation failed.", details, code: foreignCode(code), path });
  }
}

export class EditorError extends CommandLineError {
  override readonly name = "EditorError";
  readonly editor: string;
  readonly reason: string;

  constructor(editor: string, reason: string, fate = "") {
    const details = `The editor ${JSON.stringify(editor)} ended with ${reason}, so nothing was written. ${fate}`.trim();
    super(COULD_NOT, { error: "Editor failed.", code: "ENV_EDITOR_FAILED", details });
    this.editor = editor;
    this.reason = reason;
  }
}

/** The service at `--url` could not be reached, or is not svcm. */
export class ConnectionError extends CommandLineError {
  override readonly name = "ConnectionError";

  constructor(origin: string, reason: string) {
    const isOtherServer = reason.startsWith("Unexpected server response");
    const details = isOtherServer
      ? `A server answers at ${origin}, but it is not svcm serve. (${reason})`
      : `No connection to ${origin}: ${describeReason(reason)}`;
    super(COULD_NOT, {
      error: "Connection failed.",
      details,
      code: isOtherServer ? "NOT_SVCM_SERVE" : "CONNECTION_FAILED",
    });
  }
}

const REASON_TEXTS: Readonly<Record<string, string>> = {
  ECONNREFUSED: "nothing listens there",
  ENOTFOUND: "the host name is not known",
  EAI_AGAIN: "the host name cannot be looked up now",
  ETIMEDOUT: "there was no answer in time",
  EHOSTUNREACH: "the host cannot be reached",
  ENETUNREACH: "the network cannot be reached",
  ECONNRESET: "the connection was cut",
};

function describeReason(reason: string): string {
  const code = /\b(E[A-Z_]{3,})\b/.exec(reason)?.[1] ?? "";
  const words = REASON_TEXTS[code];
  return words === undefined ? reason : `${words} (${code})`;
}
