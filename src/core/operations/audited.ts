import type { AuditRecord } from "../contract/audit-record.ts";
import { SvcmError } from "../errors.ts";
import type { Caller } from "../operation.ts";
import { FileError, type Ports } from "../ports.ts";

/** What a mutation is about. Read when a record is written, since it may be decided on the way. */
export type AuditSubject = () => Pick<AuditRecord, "action" | "environment" | "keys" | "target">;

/**
 * Runs a mutation between its two audit records. The mutation calls `begin` right before its first
 * effect; if that record cannot be made durable, nothing may happen. One that never begins leaves none.
 *
 * @throws {SvcmError} AUDIT_FAILED where a record cannot be written; otherwise what `mutate` throws.
 */
export async function audited<T>(
  ports: Ports,
  caller: Caller,
  subject: AuditSubject,
  mutate: (begin: () => Promise<void>) => Promise<T>,
): Promise<T> {
  const id = ports.host.randomId();
  let hasBegun = false;
  const record = (outcome: AuditRecord["outcome"], code?: string): Promise<void> =>
    append(ports, {
      id,
      timestamp: new Date(ports.clock.now()).toISOString(),
      ...subject(),
      source: caller.source,
      ...(caller.actor !== undefined && { actor: caller.actor }),
      outcome,
      ...(code !== undefined && { code }),
    });
  const begin = async (): Promise<void> => {
    await record("started");
    hasBegun = true;
  };
  let result: T;
  try {
    result = await mutate(begin);
  } catch (error) {
    // Where this record fails too, the cause is still the better answer: the `started` one remains.
    if (hasBegun) await record("failed", codeOf(error)).catch(() => undefined);
    throw error;
  }
  if (hasBegun) await record("succeeded");
  return result;
}

async function append(ports: Ports, record: AuditRecord): Promise<void> {
  try {
    await ports.audit.append(record);
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    const isBefore = record.outcome === "started";
    throw new SvcmError("AUDIT_FAILED", {
      code: error.code,
      path: error.path,
      details: isBefore
        ? `The change was refused, since it could not be recorded: ${error.message}`
        : `The change ${record.outcome}, but its outcome could not be recorded: ${error.message}`,
    });
  }
}

function codeOf(error: unknown): string {
  if (error instanceof FileError) return error.code;
  return error instanceof SvcmError ? (error.facts.code ?? error.kind) : "DEFECT";
}
