/** What the audit log says of an action on processes. */
import type { AuditRecord } from "../../contract/audit-record.ts";
import type { InputOf } from "../../contract/inputs.ts";
import type { Ports } from "../../ports.ts";
import type { AffectedProcess, SkippedProcess } from "./act-on.ts";

/** As far as it is known while the action is under way. */
export type ActionSubject = {
  -readonly [Member in "action" | "environment" | "processes" | "target" | "code"]?: AuditRecord[Member];
} & Pick<AuditRecord, "action">;

/** What an action is asked for, before PM2 is. */
export function attempted({ action, scope = "process", name, pmId, namespace }: InputOf<"process.act">): ActionSubject {
  const asked = scope === "namespace" ? (namespace ?? name) : (name ?? (pmId === undefined ? undefined : `id ${pmId}`));
  const target = scope === "process" ? asked : `${scope} ${asked ?? "*"}`;
  return { action: `process.${action}`, ...(target !== undefined && { target }) };
}

type Named = { readonly name: string; readonly pmId: number | null };

/** Names every process that the action is for. */
export function noteProcesses(about: ActionSubject, { workspace }: Ports, processes: readonly Named[]): void {
  about.processes = processes.map(({ name, pmId }) => ({ name, pmId, pm2Home: workspace.pm2Home }));
}

/** Names the processes as PM2 lists them afterwards, and why nothing was done if that is so. */
export function noteOutcome(
  about: ActionSubject,
  ports: Ports,
  { affected, skipped }: { readonly affected: readonly AffectedProcess[]; readonly skipped: readonly SkippedProcess[] },
): void {
  noteProcesses(
    about,
    ports,
    [...affected, ...skipped].toSorted((a, b) => a.pmId - b.pmId),
  );
  const [first] = skipped;
  if (affected.length === 0 && first !== undefined) about.code = first.reason;
}
