import type { Path } from "../source.ts";

export type PlainObject = Readonly<Record<string, unknown>>;

/** Paths refer to the document before any change. */
export type Change =
  /** A new member is inserted after the nearest member that precedes it in `order`. */
  | { readonly kind: "set"; readonly path: Path; readonly value: unknown; readonly order?: readonly string[] }
  | { readonly kind: "prepend"; readonly path: readonly [string]; readonly value: string }
  | { readonly kind: "rename"; readonly path: Path; readonly to: string; readonly value: unknown }
  | { readonly kind: "delete"; readonly path: Path }
  | { readonly kind: "append"; readonly path: Path; readonly value: PlainObject };

/** The edit would affect other lines; the message has the reason. */
export class UneditableYaml extends Error {
  override readonly name = "UneditableYaml";
}

export function applyChanges(value: unknown, changes: readonly Change[]): unknown {
  const result: unknown = structuredClone(value ?? {});
  for (const change of sortDeletesLast(changes)) apply(result, change);
  return result;
}

/** Deletions come last and run from the end, so the paths of the other changes stay valid. */
export function sortDeletesLast(changes: readonly Change[]): Change[] {
  const isDelete = ({ kind }: Change): boolean => kind === "delete";
  return [...changes.filter((change) => !isDelete(change)), ...changes.filter(isDelete).toReversed()];
}

function apply(root: unknown, change: Change): void {
  const { kind, path } = change;
  if (kind === "delete") removeAt(root, path);
  else if (kind === "rename") {
    removeAt(root, path);
    setAt(root, [...path.slice(0, -1), change.to], change.value);
  } else if (kind === "append") {
    const list = getAt(root, path);
    if (Array.isArray(list)) list.push(structuredClone(change.value));
    else setAt(root, path, [change.value]);
  } else if ((path.at(-1) ?? "") !== "") setAt(root, path, change.value);
}

function setAt(root: unknown, path: Path, value: unknown): void {
  const parent = parentOf(root, path);
  if (typeof parent !== "object" || parent === null) throw new UneditableYaml(`${pathText(path)} has no parent`);
  Object.assign(parent, { [path.at(-1) ?? ""]: structuredClone(value) });
}

function removeAt(root: unknown, path: Path): void {
  const parent = parentOf(root, path);
  const key = path.at(-1);
  if (Array.isArray(parent) && typeof key === "number") parent.splice(key, 1);
  else if (typeof parent === "object" && parent !== null) Reflect.deleteProperty(parent, key ?? "");
}

function parentOf(root: unknown, path: Path): unknown {
  return getAt(root, path.slice(0, -1));
}

function getAt(root: unknown, path: Path): unknown {
  let value: unknown = root;
  for (const step of path) value = (value as Record<string | number, unknown> | null | undefined)?.[step];
  return value;
}

export function pathText(path: Path): string {
  const text = path.map((step) => (typeof step === "number" ? `[${step}]` : `.${step}`)).join("");
  return text.replace(/^\./, "") || "the document";
}
