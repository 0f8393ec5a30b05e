import { batch, computed, signal, type ReadonlySignal, type Signal } from "@preact/signals";
import type { Vocabulary } from "../../../core/suite/vocabulary.ts";
import type { SuiteDocument } from "../../state/suite-document.ts";
import type { SuiteStore } from "../../state/suite-store.ts";
import { readImport, type Reading } from "./read-import.ts";

/** A text on its way into the document: read and judged as it is given, taken only when it is valid. */
export class ImportForm {
  readonly text = signal("");
  readonly fileName = signal("");
  /** What the text would bring; `undefined` where there is none. */
  readonly reading: ReadonlySignal<Reading | undefined>;
  readonly canUndo: ReadonlySignal<boolean>;
  readonly #suite: SuiteStore;
  readonly #replaced: Signal<{ readonly before: SuiteDocument; readonly after: SuiteDocument } | undefined> = signal();

  constructor(suite: SuiteStore, vocabulary: Vocabulary) {
    this.#suite = suite;
    this.reading = computed(() =>
      this.text.value.trim() === ""
        ? undefined
        : readImport(this.text.value, this.fileName.value || "the text", vocabulary),
    );
    this.canUndo = computed(() => this.#replaced.value?.after === suite.document.value);
  }

  give(text: string, fileName = ""): void {
    batch(() => {
      this.text.value = text;
      this.fileName.value = fileName;
    });
  }

  /** Replaces the document by what was read. */
  take(): void {
    const after = this.reading.value?.document;
    if (after === undefined) return;
    const before = this.#suite.document.value;
    batch(() => {
      this.#suite.update(() => after);
      this.#replaced.value = { before, after };
      this.give("");
    });
  }

  /** Brings back what was there before, as long as nothing has changed since. */
  undo(): void {
    if (!this.canUndo.value) return;
    this.#suite.update((document) => this.#replaced.value?.before ?? document);
  }
}
