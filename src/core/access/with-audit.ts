import type { HasWorkspace } from "../project/port-repository.ts";
import type { HasAudit, Audited } from "./ports.ts";
import { FileError } from "../files/port-files.ts";
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
