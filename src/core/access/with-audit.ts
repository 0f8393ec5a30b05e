import type { HasWorkspace } from "../project/port-repository.ts";
import type { HasAudit } from "./port-audit-log.ts";
import type { Audited } from "./ports.ts";
import { FileError } from "../files/port-files.ts";
import type { AuditRecord } from "../api/audit-record.ts";
import type { ErrorCode } from "../api/code.ts";
import { failureCode, SvcmError } from "../api/errors.ts";
import type { Caller } from "./caller.ts";

export type AuditSubject = () => Pick<AuditRecord, "action" | "environment" | "keys" | "processes" | "target" | "code">;

interface AuditOptions {
  readonly isAlwaysRecorded?: boolean;
  /** A timer meets the same refusal at each turn. */
  readonly isUnrecorded?: (error: unknown) => boolean;
}

/**
 * `mutate` calls `begin` directly before its first effect; without that durable record, nothing may happen. An attempt
 * that ends earlier leaves one record, `refused`; one without effect leaves none, unless `isAlwaysRecorded`.
 * @throws {SvcmError} AUDIT_FAILED if a record cannot be written; errors of `mutate` pass through
 */
export async function withAudit<T>(
  ports: Audited,
  caller: Caller,
  subject: AuditSubject,
  mutate: (begin: () => Promise<void>) => Promise<T>,
  { isAlwaysRecorded = false, isUnrecorded }: AuditOptions = {},
): Promise<T> {
  const record = createRecorder(ports, caller, subject);
  let hasStarted = false;
  const begin = async (): Promise<void> => {
    await record("started");
    hasStarted = true;
  };
  let result: T;
  try {
    result = await mutate(begin);
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

function createRecorder(ports: Audited, caller: Caller, subject: AuditSubject) {
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
