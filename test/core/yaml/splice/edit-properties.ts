/** Properties of every edit of every document, run with two numbers of runs. */
import fc from "fast-check";
import { expect } from "vitest";
import { applyChanges, type Change, UneditableYaml } from "../../../../src/core/yaml/splice/change.ts";
import { editYaml } from "../../../../src/core/yaml/splice/edit-yaml.ts";
import { parseYaml } from "../../../../src/core/yaml/parse.ts";
import { document, entry, key, value, type WrittenDocument } from "./document-arbitraries.ts";

interface Deployments {
  readonly deployments?: readonly Record<string, unknown>[];
}

interface Wish {
  readonly kind: "append" | "set" | "delete-member" | "delete-entry" | "rename" | "prepend";
  readonly at: number;
  readonly key: string;
  readonly value: unknown;
  readonly entry: Record<string, unknown>;
}

const wish: fc.Arbitrary<Wish> = fc.record({
  kind: fc.constantFrom("append", "set", "set", "delete-member", "delete-entry", "rename", "prepend"),
  at: fc.nat(20),
  key,
  value,
  entry,
});

/** A change that the document accepts, or `undefined`. */
function changeOf(
  { kind, at, key: name, value: given, entry: added }: Wish,
  { deployments = [] }: Deployments,
): Change[] {
  if (kind === "append") return [{ kind, path: ["deployments"], value: added }];
  if (kind === "prepend") return [{ kind, path: ["first"], value: String(given) }];
  const index = at % Math.max(1, deployments.length);
  const target = deployments[index];
  if (!target) return [];
  const path = ["deployments", index];
  if (kind === "set") return [{ kind, path: [...path, name], value: given, order: ["name", "region", "runtime"] }];
  if (kind === "delete-entry") return [{ kind: "delete", path }];
  const keys = Object.keys(target);
  const held = keys[at % keys.length];
  if (held === undefined || keys.length === 1) return [];
  if (kind === "rename") return [{ kind, path: [...path, held], to: "renamed", value: given }];
  return [{ kind: "delete", path: [...path, held] }];
}

const options = (written: WrittenDocument) => ({ ...written, value: parseYaml(written.text, "").value });

/** The share of edits that may be refused, because the generator writes documents that cannot be changed line by line. */
export interface Tally {
  made: number;
  refused: number;
}

export function everyEditIsExact(numRuns: number): Tally {
  const tally = { made: 0, refused: 0 };
  fc.assert(
    fc.property(document, fc.array(wish, { minLength: 1, maxLength: 3 }), (written, wishes) => {
      const before = options(written);
      fc.pre(before.value !== undefined);
      const changes = distinct(wishes.flatMap((one) => changeOf(one, before.value as Deployments)));
      const after = attempt(() => editYaml(before, changes));
      if (after === undefined) return void tally.refused++;
      tally.made++;
      expect(parseYaml(after.text, "").value).toEqual(applyChanges(before.value, changes));
      if (written.isJson) JSON.parse(after.text);
      expectUntouched(written.text, after);
    }),
    { numRuns },
  );
  return tally;
}

export function addAndRemoveIsNothing(numRuns: number): Tally {
  const tally = { made: 0, refused: 0 };
  fc.assert(
    fc.property(document, entry, (written, added) => {
      const before = options(written);
      const list = (before.value as Deployments | undefined)?.deployments;
      fc.pre(list !== undefined);
      const text = attempt(() => editYaml(before, [{ kind: "append", path: ["deployments"], value: added }]))?.text;
      if (text === undefined) return void tally.refused++;
      const after = options({ ...written, text });
      const again = attempt(() => editYaml(after, [{ kind: "delete", path: ["deployments", list.length] }]));
      if (again === undefined) return void tally.refused++;
      tally.made++;
      if (list.length > 0) expect(again.text).toBe(written.text);
    }),
    { numRuns },
  );
  return tally;
}

/** The reported line changes, applied to the original text, result in the new text, so no other line was changed. */
function expectUntouched(before: string, { text, changes }: ReturnType<typeof editYaml>): void {
  const lines = linesOf(before);
  for (const change of changes.toReversed()) {
    const gone = lines.splice(change.line - 1, change.before.length, ...change.after);
    expect(gone).toEqual(change.before);
  }
  expect(lines).toEqual(linesOf(text));
  expect(text.endsWith("\n")).toBe(before.endsWith("\n"));
  expect(text.startsWith("\uFEFF")).toBe(before.startsWith("\uFEFF"));
  if (before.includes("\r\n")) expect(text).not.toMatch(/[^\r]\n/);
  else expect(text).not.toContain("\r");
  const comments = (all: string): number => all.split(/# (?:above|behind)/).length;
  if (!changes.some((change) => change.before.some((line) => line.includes("#"))))
    expect(comments(text)).toBe(comments(before));
}

function linesOf(text: string): string[] {
  return text
    .replace(/^\uFEFF/, "")
    .replace(/\r?\n$/, "")
    .split(/\r?\n/);
}

function distinct(changes: readonly Change[]): Change[] {
  const seen = new Set<string>();
  const isNew = ({ path, kind }: Change): boolean => {
    const place = String(path.slice(0, 2));
    if (seen.has(place) || (kind === "delete" && path.length === 2 && seen.size > 0)) return false;
    seen.add(place);
    return true;
  };
  return changes.filter(isNew);
}

function attempt<T>(edit: () => T): T | undefined {
  try {
    return edit();
  } catch (error) {
    if (!(error instanceof UneditableYaml)) throw error;
    return undefined;
  }
}
