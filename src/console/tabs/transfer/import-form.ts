import { batch, computed, signal, type Signal } from "@preact/signals";
import type { Console } from "../../console.ts";
import { Question } from "../../data/question.ts";
import type { SuiteDocument } from "../../state/suite-document.ts";
import { jsonFault, readingOf, type Reading } from "./read-import.ts";

/** A text on its way into the document. The server reads it; only the last text counts. */
export class ImportForm {
  readonly text = signal("");
  readonly fileName = signal("");
  /** What the text would bring; `undefined` without a text and until the server has answered. */
  readonly reading = signal<Reading | undefined>();
  readonly isAsking = signal(false);
  readonly canUndo = computed(() => this.#replaced.value?.after === this.#page.suite.document.value);
  readonly #page: Console;
  readonly #question = new Question();
  /** The number of texts and files so far. */
  #given = 0;
  readonly #replaced: Signal<{ readonly before: SuiteDocument; readonly after: SuiteDocument } | undefined> = signal();

  constructor(page: Console) {
    this.#page = page;
  }

  /** @throws {DOMException} if the file cannot be read, for example because it has changed */
  async giveFile(file: File): Promise<void> {
    const given = ++this.#given;
    const text = await file.text();
    if (given === this.#given) this.give(text, file.name);
  }

  give(text: string, fileName = ""): void {
    this.#given++;
    this.#question.abort();
    const fault = jsonFault(text, fileName);
    const isAsking = fault === undefined && text.trim() !== "";
    batch(() => {
      this.text.value = text;
      this.fileName.value = fileName;
      this.reading.value = fault && { issues: [fault], migrated: 0 };
      this.isAsking.value = isAsking;
    });
    if (isAsking) void this.#ask(text);
  }

  /** Replaces the document. */
  take(): void {
    const after = this.reading.value?.document;
    if (after === undefined) return;
    const before = this.#page.suite.document.value;
    batch(() => {
      this.#page.suite.update(() => after);
      this.#replaced.value = { before, after };
      this.give("");
    });
  }

  /** Restores the document before the import, if nothing has changed since. */
  undo(): void {
    if (this.canUndo.value) this.#page.suite.update((document) => this.#replaced.value?.before ?? document);
  }

  async #ask(text: string): Promise<void> {
    const { api, facts } = this.#page;
    const answered = await this.#question.ask((aborted) => api.validate(text, aborted));
    if (answered === undefined) return;
    const { answer, problem } = answered;
    batch(() => {
      if (answer) this.reading.value = readingOf(answer, facts.vocabulary);
      else if (problem) this.reading.value = { issues: [], migrated: 0, problem };
      this.isAsking.value = false;
    });
  }
}
