import type { SvcmEvent } from "../api/events.ts";
import { SvcmError } from "../errors.ts";
import { FileError, type Ports } from "../ports/index.ts";
import { withAudit } from "./audited-events.ts";
import { logEvents } from "./log-events.ts";

const MOST_RECORDS = 1000;

export interface Happened {
  /** Newest first. */
  readonly events: readonly SvcmEvent[];
  readonly isComplete: boolean;
}

/** PM2's log joined with svcm's audit log. @throws {SvcmError} EVENTS_FAILED, AUDIT_FAILED */
export async function happened(ports: Ports, sinceMs: number, signal: AbortSignal | undefined): Promise<Happened> {
  const log = await ports.processLogs.pm2(sinceMs, signal).catch((error: unknown) => {
    throw failed("EVENTS_FAILED", error);
  });
  const audit = await ports.audit.newest({ limit: MOST_RECORDS, since: sinceMs }, signal).catch((error: unknown) => {
    throw failed("AUDIT_FAILED", error);
  });
  const events = withAudit(logEvents(log.entries), audit.records, ports.workspace.pm2Home);
  return { events, isComplete: log.isComplete && audit.isComplete && audit.records.length < MOST_RECORDS };
}

function failed(kind: "EVENTS_FAILED" | "AUDIT_FAILED", error: unknown): unknown {
  if (!(error instanceof FileError)) return error;
  return new SvcmError(kind, { code: error.code, path: error.path, details: error.message });
}
