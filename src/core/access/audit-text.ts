import type { AuditRecord } from "../api/audit-record.ts";

/** `2026-11-22 03:46:44Z` */
export function formatTimestamp(timestamp: string): string {
  return timestamp.replace(/^(\S+)T(\d\d:\d\d:\d\d)(?:\.\d+)?Z$/, "$1 $2Z");
}

export function subjectText({ keys = [], processes = [], target }: AuditRecord): string {
  const named = processes.map(({ name, pmId }) => (pmId === null ? name : `${name} (id ${pmId})`));
  const isNamed = processes.some(({ name }) => target === name || target === `ecosystem ${name}`);
  return [...(target === undefined || isNamed ? [] : [target]), ...named, ...keys].join(", ");
}

export function callerText({ source, actor, client }: Pick<AuditRecord, "source" | "actor" | "client">): string {
  const from = client === undefined ? source : `${source}, says it is ${JSON.stringify(client)}`;
  return actor === undefined ? from : `${actor} (${from})`;
}

export function outcomeText({ outcome, code, count = 1 }: AuditRecord): string {
  const words = outcome === "started" ? "interrupted" : outcome;
  const times = count > 1 ? ` ${count} times` : "";
  return `${words}${times}${code === undefined ? "" : ` (${code})`}`;
}
