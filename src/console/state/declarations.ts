import { batch, computed, effect, signal } from "@preact/signals";
import { type Candidate, textField, foldName } from "../../core/deployments/file.ts";
import { isRecord } from "../../core/words/record.ts";
import type { Api, Repository } from "../data/api.ts";
import { toProblem, type Problem } from "../data/request-error.ts";
import type { Preferences } from "./preferences.ts";
import type { DocumentStore, DeploymentsDocument } from "./document-store.ts";
import { fingerprint } from "../../core/deployments/diff/change.ts";

interface Base {
  readonly entityTag: string;
  readonly document: Candidate;
}

const BASE_KEY = "declarations.base";

/**
 * The document of the repository and the one of this browser. While they are equal, the browser follows the file; after
 * the first edit, it has a draft.
 */
export class Declarations {
  readonly repository = signal<Repository | undefined>();
  readonly problem = signal<Problem | undefined>();
  /** False while the file may declare what this page does not know: before the answer, or if it cannot be read. */
  readonly isKnown = computed(() => {
    const file = this.repository.value;
    return file !== undefined && (file.document !== undefined || !file.exists);
  });
  readonly isSaving = signal(false);
  readonly hasSaved = signal(false);
  readonly isDraft = computed(() => {
    const base = this.base.value;
    return this.repository.value !== undefined && base !== undefined && !this.#matches(base.document);
  });
  readonly isOutdated = computed(
    () => this.isDraft.value && this.base.value?.entityTag !== this.repository.value?.entityTag,
  );
  readonly base = signal<Base | undefined>();
  readonly #api: Api;
  readonly #store: DocumentStore;

  constructor(api: Api, store: DocumentStore, preferences: Preferences) {
    this.#api = api;
    this.#store = store;
    this.base.value = parseBase(preferences.get(BASE_KEY));
    effect(() => {
      const base = this.base.value;
      void store.document.value;
      if (base !== undefined && store.isStored) preferences.set(BASE_KEY, JSON.stringify(base));
    });
  }

  async read(): Promise<void> {
    try {
      this.#receive(await this.#api.declarations());
    } catch (error) {
      this.problem.value = toProblem(error);
    }
  }

  async save(): Promise<void> {
    const base = this.base.value;
    if (base === undefined || this.isSaving.value) return;
    this.isSaving.value = true;
    try {
      const written = await this.#api.declarationsWrite(this.draft(), base.entityTag);
      batch(() => {
        this.#adopt(written);
        this.hasSaved.value = true;
      });
    } catch (error) {
      const problem = toProblem(error);
      // Showing both versions is more useful than the refusal.
      if (problem.status === 412) await this.read();
      else this.problem.value = problem;
    } finally {
      this.isSaving.value = false;
    }
  }

  discard(): void {
    const { repository } = this;
    if (repository.value) this.#adopt(repository.value);
  }

  rebase(): void {
    const [base, repository] = [this.base.value, this.repository.value];
    if (base === undefined || repository === undefined) return;
    const theirs = documentOf(repository);
    batch(() => {
      this.#store.update((mine) => mergeDraft(base.document, mine, theirs));
      this.base.value = toBase(repository);
    });
  }

  /** The selected environment is not part of a draft. */
  draft(): Candidate {
    const { runtimeEnvironment: _, ...document } = this.#store.document.value;
    const { runtimeEnvironment } = documentOf(this.repository.value);
    return { ...document, ...(runtimeEnvironment !== undefined && { runtimeEnvironment }) };
  }

  #receive(next: Repository): void {
    const base = this.base.value;
    const isUntouched = this.#matches(base?.document ?? {}) || this.#matches(documentOf(next));
    batch(() => {
      this.problem.value = undefined;
      if (next.document === undefined && next.exists) this.repository.value = next;
      else if (isUntouched) this.#adopt(next);
      else {
        this.repository.value = next;
        this.base.value ??= toBase(next);
      }
    });
  }

  #adopt(next: Repository): void {
    const document = documentOf(next);
    batch(() => {
      this.problem.value = undefined;
      this.repository.value = next;
      this.base.value = toBase(next);
      if (!this.#matches(document)) this.#store.sync((mine) => mergeDraft(mine, mine, document));
    });
  }

  #matches(document: Candidate): boolean {
    return contentText(this.#store.document.value) === contentText(document);
  }
}

function documentOf(repository: Repository | undefined): Candidate {
  return repository?.document ?? {};
}

function toBase(repository: Repository): Base {
  return { entityTag: repository.entityTag ?? "*", document: documentOf(repository) };
}

function parseBase(text: string | undefined): Base | undefined {
  try {
    const value: unknown = JSON.parse(text ?? "null");
    if (!isRecord(value)) return undefined;
    const { entityTag, document } = value;
    return typeof entityTag === "string" && isRecord(document) ? { entityTag, document } : undefined;
  } catch {
    return undefined;
  }
}

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
