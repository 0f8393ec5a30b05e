import { isRecord } from "../words/record.ts";
import { maskCredentials, REDACTED } from "./redact.ts";
import { isSecretName } from "./secret-name.ts";
import { maskLines, namesSecret } from "./source-lines.ts";

export function maskMembers(record: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, maskMember(name, value)]));
}

/**
 * Hides a member with the name of a secret as a whole, even a number or a map. In other members it hides credentials, and
 * what follows the name of a secret in a text.
 */
export function maskMember(name: string, value: unknown): unknown {
  if (value === undefined || value === null) return value;
  if (isSecretName(name) || namesSecret(`${name}:`)) return REDACTED;
  if (typeof value === "string") return maskLines(maskCredentials(value).split("\n")).join("\n");
  if (Array.isArray(value)) return value.map((item) => maskMember(name, item));
  return isRecord(value) ? maskMembers(value) : value;
}
