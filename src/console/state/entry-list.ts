import { batch, computed, effect, signal } from "@preact/signals";
import type { Issue } from "../../core/api/issue.ts";
import type { Candidate } from "../../core/deployments/file.ts";
import { splitIssues } from "../../core/deployments/edit/edit.ts";
import { toEdit, Form, toText, type Values } from "./form.ts";
import type { DocumentStore } from "./document-store.ts";
import type { Field } from "../../core/deployments/fields.ts";
import type { ListSection } from "../../core/deployments/shape.ts";
import type { EntryEdit } from "../../core/deployments/edit/entry.ts";

export interface EntryKind {
  readonly section: ListSection;
  readonly noun: string;
  readonly fields: readonly Field[];
  readonly blank: Values;
  nameOf(entry: Candidate): string;
  /** Drops values that do not fit the choice. */
  chosen(values: Values, field: string): Values;
  withDefaults(values: Values): Values;
  added(values: Values): Candidate;
  changed(before: Candidate, edit: EntryEdit): Candidate;
  copied?(source: Candidate, all: readonly Candidate[]): Candidate;
  issues(candidate: Candidate, others: readonly Candidate[]): Issue[];
  /** The issues of each entry; of two equal entries, the later one is the duplicate. */
  verdicts(entries: readonly Candidate[]): Issue[][];
}

const FORM_CONTROLS = "form :is(input, select):enabled";
const NO_ENTRIES: readonly Candidate[] = [];

/**
 * A list of entries and the form that adds and edits them. The form refers to its entry by identity, not by index, so
 * after a deletion it cannot save over another entry.
 *
 * @see the specification, "Deploy target list behaviour" 1 and 2
 */
export class EntryList extends Form {
  readonly kind: EntryKind;
  readonly entries = computed(() => this.#store.document.value[this.kind.section] ?? NO_ENTRIES);
  readonly verdicts = computed((): readonly (readonly Issue[])[] => this.kind.verdicts(this.entries.value));
  readonly edited = signal<Candidate | undefined>();
  /** False as soon as something changes after a deletion. */
  readonly canUndo = computed(() => this.#removed.value?.after === this.entries.value);
  readonly #store: DocumentStore;
  readonly #removed = signal<Removed | undefined>();

  constructor(store: DocumentStore, kind: EntryKind) {
    super();
    this.#store = store;
    this.kind = kind;
    effect(() => this.#follow());
  }

  fields(): readonly string[] {
    return this.kind.fields.map(({ name }) => name);
  }

  isEdit(): boolean {
    return this.edited.value !== undefined;
  }

  override set(field: string, value: string): void {
    this.changes.value = this.kind.chosen({ ...this.given.value, [field]: value }, field);
  }

  begin(): void {
    if (this.isEdit()) this.#load(undefined);
    this.focus.value = FORM_CONTROLS;
  }

  edit(entry: Candidate): void {
    batch(() => {
      this.#load(entry);
      this.focus.value = FORM_CONTROLS;
    });
  }

  cancel(): void {
    const index = this.edited.value ? this.entries.value.indexOf(this.edited.value) : -1;
    batch(() => {
      this.#load(undefined);
      this.#focusEntry(index);
    });
  }

  duplicate(entry: Candidate): void {
    const list = this.entries.value;
    const copy = this.kind.copied?.(entry, list);
    if (copy === undefined) return;
    this.#put([...list, copy], `Duplicated ${this.#nameOf(entry)} as ${this.#nameOf(copy)}.`, list.length);
  }

  remove(entry: Candidate): void {
    const before = this.entries.value;
    const index = before.indexOf(entry);
    if (index === -1) return;
    const after = before.toSpliced(index, 1);
    const isEdited = this.edited.value === entry;
    const words = `Deleted ${this.#nameOf(entry)}.${isEdited ? " Its edit is cancelled." : ""}`;
    batch(() => {
      if (isEdited) this.#load(undefined);
      this.#put(after, words, Math.min(index, after.length - 1));
      this.#removed.value = { before, after };
    });
  }

  undo(): void {
    const removed = this.#removed.value;
    if (removed === undefined || !this.canUndo.value) return;
    const index = removed.before.findIndex((entry) => !removed.after.includes(entry));
    this.#put(removed.before, "The deletion is undone.", index);
  }

  protected override isTyped(field: string): boolean {
    return this.kind.fields.some(({ name, accepted }) => name === field && accepted === undefined);
  }

  protected override start(): Values {
    const entry = this.edited.value;
    if (entry === undefined) return this.kind.blank;
    return Object.fromEntries(this.fields().map((field) => [field, toText(entry[field])]));
  }

  protected override complete(given: Values): Values {
    return this.isEdit() ? given : this.kind.withDefaults(given);
  }

  protected override decide(): Candidate {
    const { kind, edited, given, changed } = this;
    if (edited.value) return kind.changed(edited.value, toEdit(given.value, changed.value));
    return kind.added(toEdit(given.value, Object.keys(given.value)).values);
  }

  protected override judge(candidate: Candidate): readonly Issue[] {
    const before = this.edited.value;
    const others = this.entries.value.filter((entry) => entry !== before);
    const found = this.kind.issues(candidate, others);
    return before === undefined ? found : splitIssues(found, before).refused;
  }

  protected override store(entry: Candidate): void {
    const [before, list] = [this.edited.value, this.entries.value];
    const index = before ? list.indexOf(before) : list.length;
    const words = `${before ? "Saved" : "Added"} ${this.#nameOf(entry)}.`;
    this.#load(undefined);
    this.#put(before ? list.with(index, entry) : [...list, entry], words, index);
  }

  #put(list: readonly Candidate[], text: string, index: number): void {
    batch(() => {
      this.#store.update((document) => ({ ...document, [this.kind.section]: list }));
      this.message.value = { tone: "success", text };
      this.#focusEntry(index);
    });
  }

  #load(entry: Candidate | undefined): void {
    this.edited.value = entry;
    this.clear();
    if (entry) this.changes.value = this.kind.chosen(this.start(), "");
    this.message.value = undefined;
  }

  /** Finds the entry of the form again after another browser tab has changed the document. */
  #follow(): void {
    const entry = this.edited.value;
    if (entry === undefined || this.entries.value.includes(entry)) return;
    const text = JSON.stringify(entry);
    this.edited.value = this.entries.value.find((other) => JSON.stringify(other) === text);
    if (this.edited.value !== undefined) return;
    const words = `${this.#nameOf(entry)} was changed or deleted elsewhere. The form now adds a new one.`;
    this.message.value = { tone: "warning", text: words };
  }

  #focusEntry(index: number): void {
    this.focus.value = index === -1 ? FORM_CONTROLS : `[data-entry="${index}"]`;
  }

  #nameOf(entry: Candidate): string {
    return this.kind.nameOf(entry) || `${this.kind.noun} without a name`;
  }
}

interface Removed {
  readonly before: readonly Candidate[];
  readonly after: readonly Candidate[];
}
