import type { HasWorkspace } from "../project/port-repository.ts";
import type { HasAudit, Audited } from "./ports.ts";
import { FileError, type HasFiles } from "../files/ports.ts";
import type { AuditRecord } from "../api/audit-record.ts";
import type { ErrorCode } from "../api/issue.ts";
import { failureCode, SvcmError } from "../api/errors.ts";
import type { Caller } from "./operation.ts";

export type AuditSubject = Pick<
  AuditRecord,
  "action" | "environment" | "service" | "keys" | "processes" | "target" | "code"
>;

/** One attempt to change something. Its records have one id. */
export interface Attempt {
  /** The subject of the records, as far as it is known. */
  readonly subject: AuditSubject;
  /** Completes or corrects the subject of the records that follow. `undefined` removes a member. */
  readonly note: (more: Partial<AuditSubject>) => void;
  /** Writes the record that it started. Called directly before the first effect: without that record, nothing may happen. */
  readonly begin: () => Promise<void>;
}

interface AuditOptions {
  readonly isAlwaysRecorded?: boolean;
  /** A timer meets the same refusal at each turn. */
  readonly isUnrecorded?: (error: unknown) => boolean;
}

/**
 * An attempt that ends before it begins leaves one record, `refused`; one without effect leaves none, unless `isAlwaysRecorded`.
 * @throws {SvcmError} AUDIT_FAILED if a record cannot be written; errors of `mutate` pass through
 */
export async function withAudit<T>(
  ports: Audited,
  caller: Caller,
  subject: AuditSubject,
  mutate: (attempt: Attempt) => Promise<T>,
  { isAlwaysRecorded = false, isUnrecorded }: AuditOptions = {},
): Promise<T> {
  let known = subject;
  const record = createRecorder(ports, caller, () => known);
  let hasStarted = false;
  const attempt: Attempt = {
    get subject() {
      return known;
    },
    note: (more) => void (known = { ...known, ...more }),
    begin: async () => {
      await record("started");
      hasStarted = true;
    },
  };
  let result: T;
  try {
    result = await mutate(attempt);
  } catch (error) {
    // If this record fails too, the original error is more useful.
    if (hasStarted || (ports.workspace.rootSource !== undefined && isUnrecorded?.(error) !== true)) {
      await record(
        hasStarted ? "failed" : "refused",
        error instanceof FileError ? error.code : failureCode(error),
      ).catch(() => undefined);
    }
    throw error;
  }
  if (hasStarted || isAlwaysRecorded) await record("succeeded");
  return result;
}

function createRecorder(ports: Audited, caller: Caller, subject: () => AuditSubject) {
  const { clock, host } = ports;
  const id = host.randomId();
  const attemptedAt = clock.elapsed();
  return (outcome: AuditRecord["outcome"], code?: ErrorCode): Promise<void> =>
    appendRecord(ports, {
      id,
      timestamp: new Date(clock.now()).toISOString(),
      ...subject(),
      source: caller.source,
      actor: caller.actor,
      ...(caller.client !== undefined && { client: caller.client }),
      outcome,
      // The subject may already have a code, such as the reason why a process was skipped.
      ...(code !== undefined && { code }),
      ms: outcome === "started" ? undefined : Math.round(clock.elapsed() - attemptedAt),
    });
}

async function appendRecord(ports: HasAudit & HasWorkspace, record: AuditRecord): Promise<void> {
  try {
    await ports.audit.append(record);
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    const before = "The change was refused because it could not be recorded";
    const after = `The change ${record.outcome}, but its outcome could not be recorded`;
    const where =
      error.path === ports.workspace.auditFile
        ? "SVC_SERVICE_MANAGEMENT_AUDIT_FILE names another place for this log."
        : "This log belongs to its PM2_HOME.";
    throw new SvcmError("AUDIT_FAILED", {
      code: error.code,
      path: error.path,
      details: `${record.outcome === "started" ? before : after}: ${error.message} ${where}`,
    });
  }
}

export interface FileEdit<P> {
  /** Turns bytes into text, or refuses them. */
  readonly decode: (current: Uint8Array) => string;
  /** Makes the new text of the current one. It may run again, so it has no effects. */
  readonly plan: (text: string) => P;
  /** It begins before the first byte is written. Without an attempt, the edit is a preview and writes nothing. */
  readonly attempt: Attempt | undefined;
  /** A missing file counts as an empty one, and is created. */
  readonly mayCreate?: boolean;
}

export interface EditedFile<P> {
  readonly planned: P;
  /** As the file is now. */
  readonly bytes: Uint8Array;
  readonly created: boolean;
  /** Hard links that keep the former content. */
  readonly otherNames: number;
}

/**
 * Reads under a lock, plans, and writes if the plan has another text.
 * @throws {FileError} the codes of `Files.replace` and `Files.create`. Errors of the functions pass through.
 */
export async function editFile<P extends { readonly text: string }>(
  { files }: HasFiles,
  path: string,
  { decode, plan, attempt, mayCreate = false }: FileEdit<P>,
): Promise<EditedFile<P>> {
  const change = async (): Promise<EditedFile<P>> => {
    let planned: P | undefined;
    let otherNames = 0;
    const decide = (current: Uint8Array, names?: { readonly others: number }): Uint8Array | undefined => {
      const text = decode(current);
      planned = plan(text);
      const isSame = planned.text === text;
      otherNames = isSame ? 0 : (names?.others ?? 0);
      return isSame ? undefined : new TextEncoder().encode(planned.text);
    };
    const bytes = attempt === undefined ? await files.read(path) : await files.replace(path, decide, attempt.begin);
    return { planned: planned ?? plan(decode(bytes)), bytes, created: false, otherNames };
  };
  try {
    return await change();
  } catch (error) {
    if (!mayCreate || !hasCode(error, "ENOENT")) throw error;
  }
  const planned = plan(decode(new Uint8Array()));
  const bytes = new TextEncoder().encode(planned.text);
  try {
    const created = bytes.length > 0;
    if (created && attempt !== undefined) await files.create(path, bytes, attempt.begin);
    return { planned, bytes, created, otherNames: 0 };
  } catch (error) {
    // Another process has created it.
    if (!hasCode(error, "EEXIST")) throw error;
    return await change();
  }
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof FileError && error.code === code;
}
