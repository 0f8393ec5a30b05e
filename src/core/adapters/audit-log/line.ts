import type { AuditOutcome, AuditRecord, AuditSource } from "../../api/audit-record.ts";

const SOURCES: Readonly<Record<AuditSource, true>> = { cli: true, http: true, ws: true, nats: true };
const OUTCOMES: Readonly<Record<AuditOutcome, true>> = {
  started: true,
  succeeded: true,
  failed: true,
  refused: true,
};

type Fields = Readonly<Record<keyof AuditRecord, unknown>>;

/**
 * The record that a line holds, or undefined for a torn or foreign one. Only the fields of a record
 * are taken over: what else somebody wrote into the file stays there.
 */
export function parseLine(line: string): AuditRecord | undefined {
  const fields = parseFields(line);
  if (fields === undefined) return undefined;
  const { id, timestamp, action, source, outcome } = fields;
  if (!isText(id) || !isText(timestamp) || !isText(action)) return undefined;
  if (Number.isNaN(Date.parse(timestamp))) return undefined;
  if (!isWordOf(SOURCES, source) || !isWordOf(OUTCOMES, outcome)) return undefined;
  const rest = parseOptional(fields);
  return rest && { id, timestamp, action, ...rest, source, outcome };
}

type OptionalField = Exclude<keyof AuditRecord, "id" | "timestamp" | "action" | "source" | "outcome">;
type OptionalFields = Pick<AuditRecord, OptionalField>;

const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) >= 0;

const OPTIONAL: Readonly<Record<OptionalField, (value: unknown) => boolean>> = {
  environment: isText,
  service: isText,
  keys: (value) => Array.isArray(value) && value.every(isText),
  processes: (value) => Array.isArray(value) && value.every(isProcess),
  target: isText,
  actor: isText,
  address: isText,
  node: isText,
  code: isText,
  ms: isCount,
  count: isCount,
};

/** Undefined if a field has a value that it cannot have. The log once held `""` for no environment. */
function parseOptional(fields: Fields): OptionalFields | undefined {
  const present = Object.entries(OPTIONAL).filter(
    ([name]) => fields[name as OptionalField] !== undefined && !(name === "environment" && fields[name] === ""),
  );
  if (!present.every(([name, isGood]) => isGood(fields[name as OptionalField]))) return undefined;
  return Object.fromEntries(present.map(([name]) => [name, fields[name as OptionalField]]));
}

function isProcess(value: unknown): boolean {
  if (value === null || typeof value !== "object") return false;
  const { name, pmId, pm2Home } = value as Partial<Record<string, unknown>>;
  return isText(name) && isText(pm2Home) && (pmId === null || isCount(pmId)) && Object.keys(value).length === 3;
}

function parseFields(line: string): Fields | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return value !== null && typeof value === "object" ? (value as Fields) : undefined;
  } catch {
    return undefined;
  }
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

function isWordOf<T extends string>(words: Readonly<Record<T, true>>, value: unknown): value is T {
  return isText(value) && Object.hasOwn(words, value);
}
