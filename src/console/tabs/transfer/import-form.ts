import { batch, computed, signal, type ReadonlySignal, type Signal } from "@preact/signals";
import type { Console } from "../../console.ts";
import { problemOf } from "../../data/request-error.ts";
import type { SuiteDocument } from "../../state/suite-document.ts";
import { readImport, readingOf, type Reading } from "./read-import.ts";

/**
 * A text on its way into the document: read and judged as it is given. What the page cannot read itself, it asks the
 * server about; only the last text that was given counts.
 */
export class ImportForm {
  readonly text = signal("");
  readonly fileName = signal("");
  /** What the text would bring; `undefined` where there is none, and until the server has answered. */
  readonly reading = signal<Reading | undefined>();
  /** Whether the server reads the text. */
  readonly isAsking = signal(false);
  readonly canUndo: ReadonlySignal<boolean>;
  readonly #console: Console;
  #asking = new AbortController();
  /** How many texts and files were given so far. */
  #given = 0;
  readonly #replaced: Signal<{ readonly before: SuiteDocument; readonly after: SuiteDocument } | undefined> = signal();

  constructor(console: Console) {
    this.#console = console;
    this.canUndo = computed(() => this.#replaced.value?.after === console.suite.document.value);
  }

  /** @throws {DOMException} if the file cannot be read, for example because it has changed */
  async giveFile(file: File): Promise<void> {
    const given = ++this.#given;
    const text = await file.text();
    if (given === this.#given) this.give(text, file.name);
  }

  give(text: string, fileName = ""): void {
    this.#given++;
    this.#asking.abort();
    const isEmpty = text.trim() === "";
    const reading = isEmpty ? undefined : readImport(text, fileName, this.#console.facts.vocabulary);
    const isAsking = reading === undefined && !isEmpty;
    batch(() => {
      this.text.value = text;
      this.fileName.value = fileName;
      this.#show(reading, isAsking);
    });
    if (isAsking) void this.#ask(text);
  }

  /** Replaces the document by what was read. */
  take(): void {
    const after = this.reading.value?.document;
    if (after === undefined) return;
    const before = this.#console.suite.document.value;
    batch(() => {
      this.#console.suite.update(() => after);
      this.#replaced.value = { before, after };
      this.give("");
    });
  }

  /** Brings back what was there before, as long as nothing has changed since. */
  undo(): void {
    if (!this.canUndo.value) return;
    this.#console.suite.update((document) => this.#replaced.value?.before ?? document);
  }

  async #ask(text: string): Promise<void> {
    const { api, facts } = this.#console;
    this.#asking = new AbortController();
    const { signal: aborted } = this.#asking;
    let reading: Reading;
    try {
      const { document, issues } = await api.validate(text, aborted);
      // Without a document the issues say why the text cannot be read.
      reading = document === undefined ? { issues, migrated: 0 } : readingOf(document, issues, facts.vocabulary);
    } catch (error) {
      reading = { issues: [], migrated: 0, problem: problemOf(error) };
    }
    if (!aborted.aborted) batch(() => this.#show(reading, false));
  }

  #show(reading: Reading | undefined, isAsking: boolean): void {
    this.reading.value = reading;
    this.isAsking.value = isAsking;
  }
}
