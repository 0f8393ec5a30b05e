import { isRecord } from "../words/record.ts";
import { maskCredentials, maskSource, REDACTED, isSecretName } from "./redact.ts";
import { maskLines, namesSecret } from "./source-lines.ts";

export function maskMembers(record: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return maskRecord(record, createNameTest());
}

/**
 * Hides a member with the name of a secret as a whole, even a number or a map. In other members it hides credentials, and
 * what follows the name of a secret in a text.
 */
export function maskMember(name: string, value: unknown): unknown {
  return maskValue(name, value, createNameTest());
}

type NameTest = (name: string) => boolean;

/** Tests each name once, because the entries of a list have the same names. */
function createNameTest(): NameTest {
  const known = new Map<string, boolean>();
  return (name) => {
    const isSecret = known.get(name) ?? (isSecretName(name) || namesSecret(`${name}:`));
    known.set(name, isSecret);
    return isSecret;
  };
}

function maskRecord(record: Readonly<Record<string, unknown>>, isSecret: NameTest): Record<string, unknown> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, maskValue(name, value, isSecret)]));
}

function maskValue(name: string, value: unknown, isSecret: NameTest): unknown {
  if (value === undefined || value === null) return value;
  if (isSecret(name)) return REDACTED;
  if (typeof value === "string") return maskText(value);
  if (Array.isArray(value)) return value.map((item) => maskValue(name, item, isSecret));
  return isRecord(value) ? maskRecord(value, isSecret) : value;
}

/** A private key spans several lines. */
function maskText(text: string): string {
  return text.includes("\n") ? maskLines(maskCredentials(text).split("\n")).join("\n") : maskSource(text);
}
