import type { Issue } from "../../api/issue.ts";
import { isRecord } from "../../words/record.ts";
import { applyChanges, type Change } from "../../yaml/splice/change.ts";
import { type Candidate, textField, type Vocabulary } from "../file.ts";
import { fingerprint } from "../diff/change.ts";
import { pairInterfaces, pairTargets } from "../diff/diff.ts";
import { migrateTarget, SECTIONS } from "../shape.ts";
import { maskMembers, showsSecret } from "../../secrets/source-lines.ts";
import { validateDocument } from "../validate.ts";
import { configurationChanges } from "./configuration.ts";
import { documentMap, entriesOf, shapeRefusal, type DocumentEdit } from "./edit.ts";
import { type EntryKind, sortFields, interfaceKind, targetKind } from "./entry.ts";
import type { LineChange } from "../../words/text.ts";

const MAX_NAMES = 20;

interface SectionEdit {
  readonly changes: readonly Change[];
  readonly names: readonly string[];
}

const NO_CHANGE: SectionEdit = { changes: [], names: [] };

/**
 * svcm compares the draft with the document as it was shown, so an unchanged member keeps its lines, even a masked
 * secret or a legacy entry.
 * @returns the edit, and the errors that the document does not have yet
 */
export function applyDraft(
  document: unknown,
  draft: Candidate,
  vocabulary: Vocabulary,
): { readonly edit: DocumentEdit; readonly newErrors: readonly Issue[] } {
  const current = documentMap(document);
  const parts = [
    editEnvironment(current, draft),
    editServiceConfiguration(current, draft),
    editList(interfaceKind, current, draft, vocabulary),
    editList(targetKind, current, draft, vocabulary),
  ];
  const [changes, names] = [parts.flatMap((part) => part.changes), parts.flatMap((part) => part.names)];
  const target = names.length > MAX_NAMES ? `${names.length} changes` : names.join(", ");
  const existing = new Set(validateDocument(current, vocabulary).map(issueKey));
  const found = validateDocument(applyChanges(document, changes), vocabulary);
  return {
    edit: { changes, target, keys: [] },
    newErrors: found.filter((issue) => issue.severity === "error" && !existing.has(issueKey(issue))),
  };
}

function issueKey({ code, message, path }: Issue): string {
  return JSON.stringify([code, message, path.at(0), path.at(-1)]);
}

function editEnvironment(
  { runtimeEnvironment: before }: Candidate,
  { runtimeEnvironment: after }: Candidate,
): SectionEdit {
  if (before === after) return NO_CHANGE;
  const path = ["runtimeEnvironment"];
  const set: Change = { kind: "set", path, value: after, order: Object.keys(SECTIONS) };
  return { changes: [after === undefined ? { kind: "delete", path } : set], names: path };
}

function editServiceConfiguration(current: Candidate, { serviceConfiguration: after }: Candidate): SectionEdit {
  const before = current["serviceConfiguration"] ?? undefined;
  const names = ["serviceConfiguration"];
  if (before === undefined && after === undefined) return NO_CHANGE;
  if (after === undefined) return { changes: [{ kind: "delete", path: names }], names };
  if (before === undefined) return { changes: [{ kind: "set", path: names, value: after }], names };
  if (!isRecord(after) || !isRecord(before)) throw shapeRefusal(names, "a map", isRecord(after) ? before : after);
  const masked = maskMembers(before);
  if (fingerprint(masked) === fingerprint(after)) return NO_CHANGE;
  const entry = mergeDraft(before, masked, after);
  const ports = isRecord(before["ports"]) ? before["ports"] : {};
  if (!isRecord(after["ports"])) return { changes: configurationChanges(current, before, entry, ports), names };
  const next = { ...entry, ports: mergeDraft(ports, maskMembers(ports), after["ports"]) };
  return { changes: configurationChanges(current, before, next, ports), names };
}

function editList(kind: EntryKind, document: Candidate, draft: Candidate, vocabulary: Vocabulary): SectionEdit {
  const { section } = kind;
  const located = entriesOf(document, section).map(({ entry, index }) => {
    const migrated = section === "deployments" ? migrateTarget(entry, vocabulary) : entry;
    return { entry, index, migrated, masked: maskMembers(migrated) };
  });
  const draftEntries = entriesOf(draft, section).map(({ entry }) => entry);
  const { pairs, removed, added } = (section === "deployments" ? pairTargets : pairInterfaces)(
    located.map(({ masked }) => masked),
    draftEntries,
  );
  const changed = pairs.flatMap(({ from, to }): SectionEdit[] => {
    const current = located[from.index];
    if (current === undefined || fingerprint(current.masked) === fingerprint(to.entry)) return [];
    const after = mergeDraft(current.migrated, current.masked, to.entry);
    const changes = kind.changes([section, current.index], current.entry, after);
    return [{ changes, names: [textField(to.entry, kind.name)] }];
  });
  const deletions = removed.flatMap(({ entry, index }): SectionEdit[] => {
    const current = located[index];
    const path = [section, current?.index ?? 0];
    return current ? [{ changes: [{ kind: "delete", path }], names: [textField(entry, kind.name)] }] : [];
  });
  const additions = added.map(({ entry }): SectionEdit => {
    const value = sortFields(section, entry);
    return { changes: [{ kind: "append", path: [section], value }], names: [textField(entry, kind.name)] };
  });
  // From the last to the first, and whole entries last of all.
  const parts = [...deletions, ...changed, ...additions];
  return { changes: parts.flatMap((part) => part.changes), names: parts.flatMap((part) => part.names) };
}

function mergeDraft(before: Candidate, masked: Candidate, after: Candidate): Candidate {
  const remaining = Object.entries(before).filter(([name]) => Object.hasOwn(after, name));
  const changed = Object.entries(after).filter(([name, value]) => fingerprint(masked[name]) !== fingerprint(value));
  return { ...Object.fromEntries(remaining), ...Object.fromEntries(changed) };
}

const CONTEXT = 3;

type Line = readonly [mark: " " | "-" | "+", text: string];

interface Hunk {
  readonly from: number;
  readonly to: number;
  readonly lines: readonly Line[];
}

export interface PatchedText {
  readonly file: string;
  readonly before: string | undefined;
  readonly after: string;
  readonly changes: readonly LineChange[];
}

/** For `git apply` in the folder of the file. `undefined` if a line would show a credential. */
export function renderPatch({ file, before, after, changes }: PatchedText): string | undefined {
  const [old, next] = [splitLines(before ?? ""), splitLines(after)];
  const hunks = buildHunks(old, next, changes);
  if (hunks.some((hunk) => hasSecret(hunk, old, next))) return undefined;
  const head = `--- ${before === undefined ? "/dev/null" : `a/${file}`}\n+++ b/${file}\n`;
  return hunks.length === 0 ? "" : head + hunks.map(renderHunk).join("");
}

function hasSecret({ from, to, lines }: Hunk, before: readonly string[], after: readonly string[]): boolean {
  return someShowsSecret(before, from, countLines(lines, "-")) || someShowsSecret(after, to, countLines(lines, "+"));
}

function someShowsSecret(lines: readonly string[], from: number, count: number): boolean {
  return lines.slice(from - 1, from - 1 + count).some((_line, index) => showsSecret(lines, from - 1 + index));
}

function splitLines(text: string): string[] {
  return text.split(/(?<=\n)/).filter((line) => line !== "");
}

function buildHunks(before: readonly string[], after: readonly string[], changes: readonly LineChange[]): Hunk[] {
  const all = markLines(before, after, changes);
  const changedAt = all.flatMap(([mark], at) => (mark === " " ? [] : [at]));
  const ranges: { start: number; end: number }[] = [];
  for (const at of changedAt) {
    const [start, end] = [Math.max(at - CONTEXT, 0), Math.min(at + CONTEXT + 1, all.length)];
    const last = ranges.at(-1);
    if (last && start <= last.end) last.end = end;
    else ranges.push({ start, end });
  }
  return ranges.map(({ start, end }) => {
    const above = all.slice(0, start);
    return { from: countLines(above, "-") + 1, to: countLines(above, "+") + 1, lines: all.slice(start, end) };
  });
}

function markLines(before: readonly string[], after: readonly string[], changes: readonly LineChange[]): Line[] {
  const lines: Line[] = [];
  let [oldIndex, newIndex] = [0, 0];
  const copyUntil = (end: number): void => {
    for (; oldIndex < end; oldIndex++, newIndex++) {
      const [oldLine, newLine] = [before[oldIndex] ?? "", after[newIndex] ?? ""];
      if (oldLine === newLine) lines.push([" ", oldLine]);
      else lines.push(["-", oldLine], ["+", newLine]);
    }
  };
  for (const change of changes) {
    copyUntil(change.line - 1);
    lines.push(...before.slice(oldIndex, oldIndex + change.before.length).map((text): Line => ["-", text]));
    lines.push(...after.slice(newIndex, newIndex + change.after.length).map((text): Line => ["+", text]));
    oldIndex += change.before.length;
    newIndex += change.after.length;
  }
  copyUntil(before.length);
  return lines;
}

function countLines(lines: readonly Line[], mark: "-" | "+"): number {
  return lines.filter(([other]) => other === " " || other === mark).length;
}

function renderHunk({ from, to, lines }: Hunk): string {
  const [oldCount, newCount] = [countLines(lines, "-"), countLines(lines, "+")];
  const text = lines.map(
    ([mark, line]) => `${mark}${line.endsWith("\n") ? line : `${line}\n\\ No newline at end of file\n`}`,
  );
  return `@@ -${rangeText(from, oldCount)} +${rangeText(to, newCount)} @@\n${text.join("")}`;
}

/** The range of an empty hunk refers to the line above it. */
function rangeText(start: number, count: number): string {
  return `${count === 0 ? start - 1 : start},${count}`;
}
