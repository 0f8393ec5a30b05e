import type { ErrorBody } from "./bodies.ts";
import type { AuditedProcess } from "./audit-record.ts";
import type { Code, ErrorCode, Issue } from "./issue.ts";
import { omitUndefined } from "./omit-undefined.ts";

/**
 * Exit codes: 1 for a negative result, 2 for wrong usage, 3 for a failure, 70 for a defect of svcm.
 * @see the specification, "Errors"; CONTRACT sections 3 and 7
 */
export const errorTable = {
  INVALID_PAYLOAD: { status: 400, exitCode: 1, error: "Invalid payload." },
  INVALID_ENVIRONMENT: { status: 400, exitCode: 2, error: "Invalid environment request." },
  INVALID_REQUEST: { status: 400, exitCode: 2, error: "Invalid request." },
  UNAUTHORIZED: { status: 401, exitCode: 3, error: "Unauthorized." },
  FORBIDDEN: { status: 403, exitCode: 3, error: "Forbidden." },
  NOT_FOUND: { status: 404, exitCode: 2, error: "Not found." },
  METHOD_NOT_ALLOWED: { status: 405, exitCode: 2, error: "Method not allowed." },
  REQUEST_TIMEOUT: { status: 408, exitCode: 3, error: "Request timeout." },
  ENV_FILE_CHANGED: { status: 412, exitCode: 3, error: "Environment file changed.", isCode: true },
  SUITE_FILE_CHANGED: { status: 412, exitCode: 3, error: "Deployments document changed." },
  PAYLOAD_TOO_LARGE: { status: 413, exitCode: 2, error: "Payload too large." },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, exitCode: 2, error: "Unsupported media type." },
  UPGRADE_REQUIRED: { status: 426, exitCode: 2, error: "Upgrade required." },
  RATE_LIMITED: { status: 429, exitCode: 3, error: "Too many requests." },
  HEADERS_TOO_LARGE: { status: 431, exitCode: 2, error: "Request header fields too large." },
  ENV_FILE_FAILED: { status: 500, exitCode: 3, error: "Environment file operation failed." },
  SUITE_FILE_FAILED: { status: 500, exitCode: 3, error: "Deployments document operation failed." },
  /** The file is as it was. */
  EDIT_REFUSED: { status: 409, exitCode: 3, error: "Edit refused." },
  REVISION_FAILED: { status: 500, exitCode: 3, error: "Revision could not be read." },
  ECOSYSTEM_FILE_FAILED: { status: 500, exitCode: 3, error: "PM2 ecosystem file operation failed." },
  AUDIT_FAILED: { status: 500, exitCode: 3, error: "Audit log operation failed." },
  EVENTS_FAILED: { status: 500, exitCode: 3, error: "PM2's log could not be read." },
  LOGS_FAILED: { status: 500, exitCode: 3, error: "Logs could not be read." },
  HISTORY_FAILED: { status: 500, exitCode: 3, error: "The recorded history could not be read." },
  MARK_REFUSED: { status: 409, exitCode: 2, error: "Mute or note refused." },
  MARKS_FAILED: { status: 500, exitCode: 3, error: "Mutes and notes could not be read or written." },
  ALERT_FAILED: { status: 500, exitCode: 3, error: "The alert could not be delivered." },
  /** Failures of metrics use the kind PM2_METRICS_FAILED. */
  PM2_FAILED: { status: 500, exitCode: 3, error: "PM2 operation failed." },
  PM2_METRICS_FAILED: { status: 500, exitCode: 3, error: "PM2 metrics collection failed." },
  BOOT_FAILED: { status: 500, exitCode: 3, error: "Boot set-up failed." },
  PROCESS_NOT_FOUND: { status: 404, exitCode: 3, error: "Process not found.", isCode: true },
  PROCESS_AMBIGUOUS: { status: 409, exitCode: 2, error: "Process is ambiguous.", isCode: true },
  PROCESS_ACTION_FAILED: { status: 500, exitCode: 3, error: "Process action failed." },
  /** PM2 did not get the action. */
  PROCESS_ACTION_REFUSED: { status: 409, exitCode: 3, error: "Process action refused." },
  SELF_ACTION_BLOCKED: { status: 409, exitCode: 1, error: "Process action blocked.", isCode: true },
  PLAN_STALE: { status: 409, exitCode: 1, error: "Plan is out of date.", isCode: true },
  WORKTREE_DIRTY: { status: 409, exitCode: 1, error: "Work tree has changes.", isCode: true },
  /** Before anything was touched. */
  APPLY_REFUSED: { status: 409, exitCode: 1, error: "Apply refused." },
  PREFLIGHT_FAILED: { status: 409, exitCode: 1, error: "Preflight failed.", isCode: true },
  APPLY_LOCKED: { status: 409, exitCode: 3, error: "Another apply runs.", isCode: true },
  APPLY_REVERTED: { status: 500, exitCode: 1, error: "Apply failed and was reverted." },
  /** Before its apply, so nothing that runs was touched. The fault is in a commit, a command or a check of the team. */
  DEPLOY_FAILED: { status: 409, exitCode: 1, error: "Deploy failed." },
  /** As above, because of the machine: its disk, Git, or PM2. */
  DEPLOY_IMPOSSIBLE: { status: 500, exitCode: 1, error: "Deploy could not be made." },
  DEPLOY_REFUSED: { status: 409, exitCode: 1, error: "Deploy refused." },
  DEPLOY_LOCKED: { status: 409, exitCode: 3, error: "A deploy or a rollback runs.", isCode: true },
  APPLY_HALF: { status: 500, exitCode: 3, error: "Apply is half done." },
  RELEASE_NOT_FOUND: { status: 404, exitCode: 2, error: "Release not found.", isCode: true },
  NOTHING_TO_ROLL_BACK: { status: 404, exitCode: 2, error: "Nothing to roll back.", isCode: true },
  FACT_INVALID: { status: 500, exitCode: 3, error: "Declarative source is invalid.", isCode: true },
  PROPOSAL_NOT_FOUND: { status: 404, exitCode: 2, error: "Proposal not found.", isCode: true },
  PROPOSAL_REFUSED: { status: 409, exitCode: 1, error: "Proposal refused." },
  PROPOSAL_STALE: { status: 409, exitCode: 1, error: "Proposal is out of date.", isCode: true },
  PROPOSALS_FAILED: { status: 500, exitCode: 3, error: "Proposals could not be read or written." },
  TOKENS_FAILED: { status: 500, exitCode: 3, error: "Token file operation failed." },
  TOKEN_EXISTS: { status: 409, exitCode: 2, error: "Token exists.", isCode: true },
  TOKEN_NOT_FOUND: { status: 404, exitCode: 2, error: "Token not found.", isCode: true },
  FLEET_FAILED: { status: 503, exitCode: 3, error: "Request to another machine failed." },
  START_REFUSED: { status: 500, exitCode: 1, error: "Service Management cannot start." },
  SERVICE_BUSY: { status: 503, exitCode: 3, error: "Service busy." },
  DEFECT: { status: 500, exitCode: 70, error: "Internal error." },
} as const satisfies Partial<Record<Code, ErrorRow>>;

interface ErrorRow {
  /** The body has the kind as its `code`, unless a refusal has a more specific one. */
  readonly isCode?: true;
  readonly status: number;
  readonly exitCode: number;
  readonly error: string;
}

export type ErrorKind = keyof typeof errorTable;

export interface RefusalBody extends Omit<ErrorBody, "error"> {
  /** For a user at a terminal. Not sent over HTTP. */
  readonly hint?: string | undefined;
  readonly retryAfterSeconds?: number;
  /** The known processes of a refused action. Not sent over HTTP. */
  readonly processes?: readonly AuditedProcess[];
  /** To print source lines. Not sent over HTTP. */
  readonly source?: string;
}

/** Every other error is a defect. */
export class SvcmError extends Error {
  override readonly name = "SvcmError";
  readonly kind: ErrorKind;
  readonly body: RefusalBody;

  constructor(kind: ErrorKind, body: RefusalBody = {}) {
    super(body.details ?? errorTable[kind].error);
    this.kind = kind;
    const row: ErrorRow = errorTable[kind];
    this.body = { ...(row.isCode && { code: kind }), ...omitUndefined(body) };
  }
}

export function failureCode(error: unknown): ErrorCode {
  const { kind, body } = error instanceof SvcmError ? error : unexpected(error);
  return body.code ?? kind;
}

const NO_FILES_LEFT = new Set<unknown>(["EMFILE", "ENFILE"]);

/** @param code of the system, for a file in PM2_HOME. At the limit of open files, the folder is not the reason. */
export function homeCode(code: string): Code {
  return NO_FILES_LEFT.has(code) ? "EMFILE" : "PM2_HOME_UNUSABLE";
}

/** Any file or socket may be the one too many, so no caller expects it. */
function unexpected(error: unknown): SvcmError {
  if (error instanceof Error && "code" in error && NO_FILES_LEFT.has(error.code))
    return new SvcmError("SERVICE_BUSY", {
      code: "EMFILE",
      details: "svcm cannot open another file or socket: as many are open as the system permits.",
    });
  return new SvcmError("DEFECT", { code: "DEFECT", details: "This is a defect in svcm." });
}

/** Its details are the messages on one line. */
export function refusal(kind: ErrorKind, issues: readonly Issue[]): SvcmError {
  return new SvcmError(kind, { details: issues.map(({ message }) => message).join("; "), issues });
}

export interface ErrorDescription {
  readonly status: number;
  readonly exitCode: number;
  readonly body: ErrorBody;
  readonly hint?: string | undefined;
  readonly retryAfterSeconds?: number | undefined;
  readonly source?: string | undefined;
}

/** Never reveals the cause of a defect. */
export function describeError(error: unknown): ErrorDescription {
  if (!(error instanceof SvcmError)) return describeError(unexpected(error));
  const { status, exitCode, error: summary } = errorTable[error.kind];
  const { hint, retryAfterSeconds, processes: _processes, source, ...body } = error.body;
  return {
    status,
    exitCode,
    body: { error: summary, ...body },
    hint,
    retryAfterSeconds,
    source,
  };
}
