import { batch, computed, effect, signal } from "@preact/signals";
import type { Candidate } from "../../core/deployments/candidate.ts";
import { isRecord } from "../../core/words/record.ts";
import type { Api, Repository } from "../data/api.ts";
import { problemOf, type Problem } from "../data/request-error.ts";
import type { Choices } from "./preferences.ts";
import type { DocumentStore } from "./document-store.ts";
import { contentText, mergeDraft } from "./merge-draft.ts";

interface Base {
  readonly entityTag: string;
  readonly document: Candidate;
}

const BASE = "declarations.base";

/**
 * The document of the repository and the one of this browser. While they are equal, the browser follows the file; after
 * the first edit, it has a draft.
 */
export class Declarations {
  readonly repository = signal<Repository | undefined>();
  readonly problem = signal<Problem | undefined>();
  readonly isSaving = signal(false);
  readonly hasSaved = signal(false);
  readonly isDraft = computed(() => {
    const base = this.base.value;
    return this.repository.value !== undefined && base !== undefined && !this.#isAs(base.document);
  });
  readonly isOutdated = computed(
    () => this.isDraft.value && this.base.value?.entityTag !== this.repository.value?.entityTag,
  );
  readonly base = signal<Base | undefined>();
  readonly #api: Api;
  readonly #store: DocumentStore;

  constructor(api: Api, store: DocumentStore, choices: Choices) {
    this.#api = api;
    this.#store = store;
    this.base.value = baseIn(choices.get(BASE));
    effect(() => {
      const base = this.base.value;
      void store.document.value;
      if (base !== undefined && store.isKept) choices.set(BASE, JSON.stringify(base));
    });
  }

  async read(): Promise<void> {
    try {
      this.#take(await this.#api.declarations());
    } catch (error) {
      this.problem.value = problemOf(error);
    }
  }

  async save(): Promise<void> {
    const base = this.base.value;
    if (base === undefined || this.isSaving.value) return;
    this.isSaving.value = true;
    try {
      const written = await this.#api.declarationsWrite(this.draft(), base.entityTag);
      batch(() => {
        this.#settle(written);
        this.hasSaved.value = true;
      });
    } catch (error) {
      const problem = problemOf(error);
      // Showing both versions is more useful than the refusal.
      if (problem.status === 412) await this.read();
      else this.problem.value = problem;
    } finally {
      this.isSaving.value = false;
    }
  }

  discard(): void {
    const { repository } = this;
    if (repository.value) this.#settle(repository.value);
  }

  rebase(): void {
    const [base, repository] = [this.base.value, this.repository.value];
    if (base === undefined || repository === undefined) return;
    const theirs = documentOf(repository);
    batch(() => {
      this.#store.update((mine) => mergeDraft(base.document, mine, theirs));
      this.base.value = baseOf(repository);
    });
  }

  /** The selected environment is not part of a draft. */
  draft(): Candidate {
    const { runtimeEnvironment: _, ...document } = this.#store.document.value;
    const { runtimeEnvironment } = documentOf(this.repository.value);
    return { ...document, ...(runtimeEnvironment !== undefined && { runtimeEnvironment }) };
  }

  #take(next: Repository): void {
    const base = this.base.value;
    const isUntouched = this.#isAs(base?.document ?? {}) || this.#isAs(documentOf(next));
    batch(() => {
      this.problem.value = undefined;
      if (next.document === undefined && next.exists) this.repository.value = next;
      else if (isUntouched) this.#settle(next);
      else {
        this.repository.value = next;
        this.base.value ??= baseOf(next);
      }
    });
  }

  #settle(next: Repository): void {
    const document = documentOf(next);
    batch(() => {
      this.problem.value = undefined;
      this.repository.value = next;
      this.base.value = baseOf(next);
      if (!this.#isAs(document)) this.#store.show((mine) => mergeDraft(mine, mine, document));
    });
  }

  #isAs(document: Candidate): boolean {
    return contentText(this.#store.document.value) === contentText(document);
  }
}

function documentOf(repository: Repository | undefined): Candidate {
  return repository?.document ?? {};
}

function baseOf(repository: Repository): Base {
  return { entityTag: repository.entityTag ?? "*", document: documentOf(repository) };
}

function baseIn(text: string | undefined): Base | undefined {
  try {
    const value: unknown = JSON.parse(text ?? "null");
    if (!isRecord(value)) return undefined;
    const { entityTag, document } = value;
    return typeof entityTag === "string" && isRecord(document) ? { entityTag, document } : undefined;
  } catch {
    return undefined;
  }
}
