import { type Candidate, textField, foldName } from "../../core/deployments/file.ts";
import { fingerprint } from "../../core/deployments/diff/change.ts";
import { isRecord } from "../../core/words/record.ts";
import type { DeploymentsDocument } from "./deployments-document.ts";

/** Equal documents have equal texts. The selected environment does not count. */
export function contentText(document: Candidate): string {
  const { version: _v, runtimeEnvironment: _e, ...sections } = document;
  const present = Object.entries(sections).filter(([, section]) => !(Array.isArray(section) && section.length === 0));
  return fingerprint(Object.fromEntries(present));
}

/**
 * Applies the changes of a draft to the current document. If both changed a member, the draft wins. An entry that one
 * of them changed and the other deleted stays.
 *
 * @param base the document from which the draft was started
 */
export function mergeDraft(base: Candidate, mine: DeploymentsDocument, theirs: Candidate): DeploymentsDocument {
  const lists = (["interfaces", "deployments"] as const).map((name) => {
    const merged = mergeLists(listOf(base, name), listOf(mine, name), listOf(theirs, name));
    return [name, merged.length === 0 ? undefined : merged] as const;
  });
  const serviceConfiguration = merge(
    base["serviceConfiguration"],
    mine.serviceConfiguration,
    theirs["serviceConfiguration"],
  );
  const { runtimeEnvironment = theirs["runtimeEnvironment"] } = mine;
  const members = { ...theirs, runtimeEnvironment, serviceConfiguration, ...Object.fromEntries(lists) };
  const present = Object.entries(members).filter(([, value]) => value !== undefined);
  return { ...Object.fromEntries(present), version: mine.version };
}

function mergeLists(base: readonly Candidate[], mine: readonly Candidate[], theirs: readonly Candidate[]): Candidate[] {
  const [ofBase, ofMine, ofTheirs] = [byKey(base), byKey(mine), byKey(theirs)];
  const current = [...ofTheirs].map(([key, entry]) => merge(ofBase.get(key), ofMine.get(key), entry));
  const others = [...ofMine]
    .filter(([key]) => !ofTheirs.has(key))
    .map(([key, entry]) => merge(ofBase.get(key), entry, undefined));
  return [...current, ...others].filter((entry) => isRecord(entry));
}

function byKey(entries: readonly Candidate[]): Map<string, Candidate> {
  // The position distinguishes entries without a name, or with the same name.
  const map = new Map<string, Candidate>();
  for (const [at, entry] of entries.entries()) {
    const name = foldName(textField(entry, "name") || textField(entry, "controller"));
    map.set(name === "" || map.has(name) ? `${name} #${at}` : name, entry);
  }
  return map;
}

function merge(base: unknown, mine: unknown, theirs: unknown): unknown {
  if (isSame(base, mine)) return theirs;
  if (isSame(base, theirs)) return mine;
  if (mine === undefined) return theirs;
  if (!isRecord(mine) || !isRecord(theirs)) return mine;
  const old = isRecord(base) ? base : {};
  const names = [...new Set([...Object.keys(theirs), ...Object.keys(mine)])];
  const members = names.map((name) => [name, merge(old[name], mine[name], theirs[name])] as const);
  return Object.fromEntries(members.filter(([, value]) => value !== undefined));
}

function isSame(one: unknown, other: unknown): boolean {
  return fingerprint(one) === fingerprint(other);
}

function listOf(document: Candidate, name: "interfaces" | "deployments"): Candidate[] {
  const list = document[name];
  return Array.isArray(list) ? list.filter((entry) => isRecord(entry)) : [];
}
