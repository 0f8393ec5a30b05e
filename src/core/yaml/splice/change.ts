/** What is asked of a document, and what it means for the data. Paths are those of the document before any change. */
import { isDeepStrictEqual } from "./equal.ts";

export type Path = readonly (string | number)[];
export type Plain = Readonly<Record<string, unknown>>;

export type Change =
  /** Gives a member of a map a value; a new one stands behind the nearest member that precedes it in `order`. */
  | { readonly kind: "set"; readonly path: Path; readonly value: unknown; readonly order?: readonly string[] }
  /** Puts a new member before all others of the document. */
  | { readonly kind: "lead"; readonly path: readonly [string]; readonly value: string }
  /** Gives a member another key and another value, in its place. */
  | { readonly kind: "rename"; readonly path: Path; readonly to: string; readonly value: unknown }
  | { readonly kind: "delete"; readonly path: Path }
  /** Adds an entry at the end of a list; an absent one is made. */
  | { readonly kind: "append"; readonly path: Path; readonly value: Plain };

/** The edit cannot be made by changing only its own lines; the message says why. */
export class UneditableYaml extends Error {
  override readonly name = "UneditableYaml";
}

/** The data as the changes leave it; the data given stays as it is. */
export function applied(value: unknown, changes: readonly Change[]): unknown {
  const result: unknown = structuredClone(value ?? {});
  // Items that go are taken out last, from the end, so that the other paths hold.
  const [others, gone] = [changes.filter((change) => !isDelete(change)), changes.filter(isDelete)];
  for (const change of others) if (!isDelete(change)) apply(result, change);
  for (const { path } of gone.toReversed()) remove(result, path);
  return result;
}

/** Whether two documents mean the same; the order of members does not matter. */
export const isSame: (a: unknown, b: unknown) => boolean = isDeepStrictEqual;

function isDelete(change: Change): change is Extract<Change, { kind: "delete" }> {
  return change.kind === "delete";
}

function apply(root: unknown, change: Exclude<Change, { kind: "delete" }>): void {
  const { path, value } = change;
  const key = path.at(-1) ?? "";
  if (change.kind === "rename") {
    remove(root, path);
    put(root, [...path.slice(0, -1), change.to], value);
  } else if (change.kind === "append") {
    const list = get(root, path);
    if (Array.isArray(list)) list.push(structuredClone(value));
    else put(root, path, [value]);
  } else if (key !== "") put(root, path, value);
}

function put(root: unknown, path: Path, value: unknown): void {
  const parent = parentOf(root, path);
  if (typeof parent !== "object" || parent === null) throw new UneditableYaml(`${name(path)} has nowhere to stand`);
  Object.assign(parent, { [path.at(-1) ?? ""]: structuredClone(value) });
}

function remove(root: unknown, path: Path): void {
  const parent = parentOf(root, path);
  const key = path.at(-1);
  if (Array.isArray(parent) && typeof key === "number") parent.splice(key, 1);
  else if (typeof parent === "object" && parent !== null) Reflect.deleteProperty(parent, key ?? "");
}

function parentOf(root: unknown, path: Path): unknown {
  return get(root, path.slice(0, -1));
}

function get(root: unknown, path: Path): unknown {
  let value: unknown = root;
  for (const step of path) value = (value as Record<string | number, unknown> | null | undefined)?.[step];
  return value;
}

/** A path as people write it: `deployments[2].region`. */
export function name(path: Path): string {
  const text = path.map((step) => (typeof step === "number" ? `[${step}]` : `.${step}`)).join("");
  return text.replace(/^\./, "") || "the document";
}
