import type { AuditOutcome, AuditRecord, AuditSource } from "../../contract/audit-record.ts";

const SOURCES: Readonly<Record<AuditSource, true>> = { cli: true, http: true, ws: true };
const OUTCOMES: Readonly<Record<AuditOutcome, true>> = {
  started: true,
  succeeded: true,
  failed: true,
};

type Fields = Readonly<Record<keyof AuditRecord, unknown>>;

/**
 * The record that a line holds, or undefined for a torn or foreign one. Only the fields of a record
 * are taken over: what else somebody wrote into the file stays there.
 */
export function parseLine(line: string): AuditRecord | undefined {
  const fields = parseFields(line);
  if (fields === undefined) return undefined;
  const { id, timestamp, action, environment, source, outcome } = fields;
  if (!isText(id) || !isText(timestamp) || !isText(action) || !isText(environment)) return undefined;
  if (Number.isNaN(Date.parse(timestamp))) return undefined;
  if (!isWordOf(SOURCES, source) || !isWordOf(OUTCOMES, outcome)) return undefined;
  const rest = parseOptional(fields);
  return rest && { id, timestamp, action, environment, ...rest, source, outcome };
}

type OptionalFields = Pick<AuditRecord, "keys" | "target" | "actor" | "code">;

function parseOptional({ keys, target, actor, code }: Fields): OptionalFields | undefined {
  if (keys !== undefined && !(Array.isArray(keys) && keys.every(isText))) return undefined;
  if (![target, actor, code].every((field) => field === undefined || isText(field))) {
    return undefined;
  }
  const present = Object.entries({ keys, target, actor, code }).filter(([, value]) => value !== undefined);
  return Object.fromEntries(present);
}

function parseFields(line: string): Fields | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return value !== null && typeof value === "object" ? (value as Fields) : undefined;
  } catch {
    return undefined;
  }
}

const isText = (value: unknown): value is string => typeof value === "string";

function isWordOf<T extends string>(words: Readonly<Record<T, true>>, value: unknown): value is T {
  return isText(value) && Object.hasOwn(words, value);
}
