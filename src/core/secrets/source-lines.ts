import { maskSource, REDACTED, maskCredentials, isSecretName } from "./redact.ts";
import { isRecord } from "../words/record.ts";

/** Reads each line once, unlike {@link maskLine} for each of them. */
export function maskLines(lines: readonly string[]): string[] {
  const parents: { readonly depth: number; readonly isSecret: boolean }[] = [];
  return lines.map((line) => {
    const depth = depthOf(line);
    while ((parents.at(-1)?.depth ?? -1) >= depth) parents.pop();
    const isInside = parents.at(-1)?.isSecret ?? false;
    if (depth !== Infinity) parents.push({ depth, isSecret: isInside || namesSecret(line) });
    return isInside ? hideLine(line) : maskSource(line);
  });
}

/** @param index of the line in the text that gives it its meaning, from 0 */
export function maskLine(lines: readonly string[], index: number): string {
  const line = lines[index] ?? "";
  return isInsideSecret(lines, index) ? hideLine(line) : maskSource(line);
}

function hideLine(line: string): string {
  return line.replace(/\S.*/, REDACTED);
}

/** True if the line continues the value of a member with the name of a secret: a map, a list or a text of several lines. */
export function isInsideSecret(lines: readonly string[], index: number, isParent = namesSecret): boolean {
  let depth = depthOf(lines[index] ?? "");
  for (let at = index - 1; at >= 0 && depth > 0; at -= 1) {
    const line = lines[at] ?? "";
    const lineDepth = depthOf(line);
    if (lineDepth >= depth) continue;
    if (isParent(line)) return true;
    depth = lineDepth;
  }
  return false;
}

/** True if the line holds anything that a masked document hides. */
export function showsSecret(lines: readonly string[], index: number): boolean {
  const line = lines[index] ?? "";
  return holdsSecretName(line) || maskSource(line) !== line || isInsideSecret(lines, index, holdsSecretName);
}

function holdsSecretName(line: string): boolean {
  return namesSecret(line) || memberNames(line).some(isSecretName);
}

/** A map in braces has several on one line. */
function memberNames(line: string): string[] {
  return [...line.matchAll(/([\p{L}\w.-]{1,100})["']?\s{0,20}[:=]/gu)].map(([, name = ""]) => name);
}

/** An item of a list may have the same indentation as the key of the list. A blank line is as deep as any other. */
function depthOf(line: string): number {
  const spaces = line.search(/\S/);
  return spaces === -1 ? Infinity : 2 * spaces + (/^-(?:\s|$)/.test(line.slice(spaces)) ? 1 : 0);
}

/** True if a value after this line would be hidden, because the line ends with the name of a secret and a colon. */
function namesSecret(line: string): boolean {
  return maskSource(`${line} value`).endsWith(REDACTED);
}

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
