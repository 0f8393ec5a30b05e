import { isRecord } from "../../core/words/record.ts";

/** `a,b.c` as paths. An element of a list stands for all of them, so `processes.name` is the name of each. */
export function parseFields(text: string): string[][] {
  return text
    .split(",")
    .map((field) => field.trim())
    .filter((field) => field !== "")
    .map((field) => field.split("."));
}

/** The document with these members only, in its own order. */
export function selectFields(document: unknown, paths: readonly (readonly string[])[]): unknown {
  if (paths.length === 0 || paths.some((path) => path.length === 0)) return document;
  if (Array.isArray(document)) return document.map((element) => selectFields(element, paths));
  if (!isRecord(document)) return document;
  const members = Object.entries(document).flatMap(([name, value]) => {
    const rest = paths.filter(([first]) => first === name).map((path) => path.slice(1));
    return rest.length === 0 ? [] : [[name, selectFields(value, rest)] as const];
  });
  return Object.fromEntries(members);
}

export function unknownFieldsText(document: unknown, paths: readonly (readonly string[])[]): string | undefined {
  const unknown = unknownFields(document, paths);
  const accepted = isRecord(document) ? Object.keys(document).join(", ") : "none";
  return unknown.length === 0
    ? undefined
    : `Warning: the answer has no ${unknown.join(", ")}. Its members: ${accepted}.`;
}

/** Paths that lead nowhere. In an empty list, nothing is known to be wrong. */
export function unknownFields(document: unknown, paths: readonly (readonly string[])[]): string[] {
  return paths.filter((path) => !hasField(document, path)).map((path) => path.join("."));
}

function hasField(document: unknown, [name, ...rest]: readonly string[]): boolean {
  if (name === undefined || document === null) return true;
  if (Array.isArray(document))
    return document.length === 0 || document.some((element) => hasField(element, [name, ...rest]));
  return isRecord(document) && Object.hasOwn(document, name) && hasField(document[name], rest);
}
