import type { HasWorkspace } from "../../project/port-repository.ts";
import type { SkippedProcess } from "../../pm2/skipped-process.ts";
import type { AuditRecord } from "../../api/audit-record.ts";
import type { InputOf } from "../../api/inputs.ts";

import type { AffectedProcess } from "./action.ts";

export type ActionSubject = {
  -readonly [Member in "action" | "environment" | "keys" | "processes" | "target" | "code"]?: AuditRecord[Member];
} & Pick<AuditRecord, "action">;

export function createActionSubject(input: InputOf<"process.act">): ActionSubject {
  const { action, scope = "process", namespace } = input;
  const requested = scope === "namespace" ? (namespace ?? input.name) : describeProcesses(input);
  const target = scope === "process" ? requested : `${scope} ${requested ?? "*"}`;
  return { action: `process.${action}`, ...(target !== undefined && { target }) };
}

function describeProcesses({ name, pmId, names = [], pmIds = [] }: InputOf<"process.act">): string | undefined {
  const numbers = [...(pmId === undefined || name !== undefined ? [] : [pmId]), ...pmIds];
  const all = [...(name === undefined ? [] : [name]), ...names, ...numbers.map((number) => `id ${number}`)];
  return all.length === 0 ? undefined : all.join(", ");
}

export type NamedProcess = { readonly name: string; readonly pmId: number | null };

export function noteProcesses(
  subject: ActionSubject,
  { workspace }: HasWorkspace,
  processes: readonly NamedProcess[],
): void {
  subject.processes = processes.map(({ name, pmId }) => ({ name, pmId, pm2Home: workspace.pm2Home }));
}

export function noteOutcome(
  subject: ActionSubject,
  ports: HasWorkspace,
  { affected, skipped }: { readonly affected: readonly AffectedProcess[]; readonly skipped: readonly SkippedProcess[] },
): void {
  noteProcesses(
    subject,
    ports,
    [...affected, ...skipped].toSorted((a, b) => a.pmId - b.pmId),
  );
  const [first] = skipped;
  if (affected.length === 0 && first !== undefined) subject.code = first.reason;
}
