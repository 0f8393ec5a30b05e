import type { Issue } from "../../api/issue.ts";
import { isRecord } from "../../words/record.ts";
import { applied, type Change } from "../../yaml/splice/change.ts";
import { type Candidate, textField } from "../candidate.ts";
import { fingerprint } from "../diff/fields.ts";
import { pairInterfaces } from "../diff/interfaces.ts";
import { pairTargets } from "../diff/targets.ts";
import { migrateTarget } from "../migrate.ts";
import { type ListSection, SECTIONS } from "../shape.ts";
import { shownEntry } from "../shown.ts";
import { validateDocument } from "../validate.ts";
import type { Vocabulary } from "../vocabulary.ts";
import { configurationChanges } from "./configuration.ts";
import { documentMap, entriesOf, shapeRefusal, type DocumentEdit } from "./edit.ts";
import { type EntryKind, inOrder } from "./entry.ts";
import { interfaceKind } from "./interface.ts";
import { targetKind } from "./target.ts";

const MOST_NAMES = 20;

interface Part {
  readonly changes: readonly Change[];
  readonly names: readonly string[];
}

const NOTHING: Part = { changes: [], names: [] };

/**
 * svcm compares the draft with the document as it was shown, so an unchanged member keeps its lines, even a masked
 * secret or a legacy entry.
 * @returns the edit, and the errors that the document does not have yet
 */
export function applyDraft(
  document: unknown,
  draft: Candidate,
  vocabulary: Vocabulary,
): { readonly edit: DocumentEdit; readonly bad: readonly Issue[] } {
  const current = documentMap(document);
  const parts = [
    environmentPart(current, draft),
    configurationPart(current, draft),
    listPart(interfaceKind, current, draft, vocabulary),
    listPart(targetKind, current, draft, vocabulary),
  ];
  const [changes, names] = [parts.flatMap((part) => part.changes), parts.flatMap((part) => part.names)];
  const target = names.length > MOST_NAMES ? `${names.length} changes` : names.join(", ");
  const known = new Set(validateDocument(current, vocabulary).map(markOf));
  const found = validateDocument(applied(document, changes), vocabulary);
  return {
    edit: { changes, target, keys: [] },
    bad: found.filter((issue) => issue.severity === "error" && !known.has(markOf(issue))),
  };
}

/** Other edits change the indexes of entries. */
function markOf({ code, message, path }: Issue): string {
  return JSON.stringify([code, message, path.at(0), path.at(-1)]);
}

function environmentPart({ runtimeEnvironment: before }: Candidate, { runtimeEnvironment: after }: Candidate): Part {
  if (before === after) return NOTHING;
  const path = ["runtimeEnvironment"];
  const set: Change = { kind: "set", path, value: after, order: Object.keys(SECTIONS) };
  return { changes: [after === undefined ? { kind: "delete", path } : set], names: path };
}

function configurationPart(current: Candidate, { serviceConfiguration: after }: Candidate): Part {
  const before = current["serviceConfiguration"] ?? undefined;
  const names = ["serviceConfiguration"];
  if (before === undefined && after === undefined) return NOTHING;
  if (after === undefined) return { changes: [{ kind: "delete", path: names }], names };
  if (before === undefined) return { changes: [{ kind: "set", path: names, value: after }], names };
  if (!isRecord(after) || !isRecord(before)) throw shapeRefusal(names, "a map", isRecord(after) ? before : after);
  const shown = shownEntry(before);
  if (fingerprint(shown) === fingerprint(after)) return NOTHING;
  const entry = overlaid(before, shown, after);
  const ports = isRecord(before["ports"]) ? before["ports"] : {};
  if (!isRecord(after["ports"])) return { changes: configurationChanges(current, before, entry, ports), names };
  const next = { ...entry, ports: overlaid(ports, shownEntry(ports), after["ports"]) };
  return { changes: configurationChanges(current, before, next, ports), names };
}

function listPart(kind: EntryKind, current: Candidate, draft: Candidate, vocabulary: Vocabulary): Part {
  const { section } = kind;
  const located = entriesOf(current, section).map(({ entry, index }) => {
    const today = section === "deployments" ? migrateTarget(entry, vocabulary) : entry;
    return { entry, index, today, shown: shownEntry(today) };
  });
  const wanted = entriesOf(draft, section).map(({ entry }) => entry);
  const { pairs, removed, added } = pairingOf(section)(
    located.map(({ shown }) => shown),
    wanted,
  );
  const changed = pairs.flatMap(({ from, to }): Part[] => {
    const known = located[from.index];
    if (known === undefined || fingerprint(known.shown) === fingerprint(to.entry)) return [];
    const after = overlaid(known.today, known.shown, to.entry);
    const changes = kind.changes([section, known.index], known.entry, after);
    return [{ changes, names: [textField(to.entry, kind.name)] }];
  });
  const gone = removed.flatMap(({ entry, index }): Part[] => {
    const known = located[index];
    const path = [section, known?.index ?? 0];
    return known ? [{ changes: [{ kind: "delete", path }], names: [textField(entry, kind.name)] }] : [];
  });
  const fresh = added.map(({ entry }): Part => {
    const value = inOrder(section, entry);
    return { changes: [{ kind: "append", path: [section], value }], names: [textField(entry, kind.name)] };
  });
  // From the last to the first, and whole entries last of all.
  const parts = [...gone, ...changed, ...fresh];
  return { changes: parts.flatMap((part) => part.changes), names: parts.flatMap((part) => part.names) };
}

function pairingOf(section: ListSection): typeof pairTargets {
  return section === "deployments" ? pairTargets : pairInterfaces;
}

function overlaid(before: Candidate, shown: Candidate, after: Candidate): Candidate {
  const kept = Object.entries(before).filter(([name]) => Object.hasOwn(after, name));
  const changed = Object.entries(after).filter(([name, value]) => fingerprint(shown[name]) !== fingerprint(value));
  return { ...Object.fromEntries(kept), ...Object.fromEntries(changed) };
}
