import { batch, computed, effect, signal, type ReadonlySignal, type Signal } from "@preact/signals";
import type { Issue } from "../../core/api/issue.ts";
import { splitKnown } from "../../core/deployments/edit/edit.ts";
import type { Candidate } from "../../core/deployments/candidate.ts";
import { type EntryKind, refusal, type Said, type Values } from "./entry-kind.ts";
import type { SuiteStore } from "./suite-store.ts";

const FORM = "form :is(input, select):enabled";
const REFUSED = "form [aria-invalid=true], form .issues";
const NONE: readonly Candidate[] = [];

/**
 * A list of entries with the one form that adds to it and edits it in place. A candidate goes through the gate
 * before anything changes. The entry in the form is known by what it is, not by its number: whatever is deleted
 * meanwhile, saving never meets another one.
 *
 * @see the specification, "Deploy target list behaviour" 1 and 2
 */
export class EntryList {
  readonly kind: EntryKind;
  readonly entries: ReadonlySignal<readonly Candidate[]>;
  /** Of every stored entry, judged again whenever the list changes. */
  readonly verdicts: ReadonlySignal<readonly (readonly Issue[])[]>;
  /** As the form shows them. */
  readonly values: ReadonlySignal<Values>;
  /** What is wrong with the form; what was not filled in yet is told once saving was tried. */
  readonly issues: ReadonlySignal<readonly Issue[]>;
  /** The entry that the form would replace. */
  readonly edited: Signal<Candidate | undefined> = signal();
  readonly isDirty: ReadonlySignal<boolean>;
  /** Whether the form holds something to lose: of a new entry what was typed, not a mere choice. */
  readonly isUnsaved: ReadonlySignal<boolean>;
  readonly said: Signal<Said | undefined> = signal();
  /** Whether nothing has changed since something was deleted. */
  readonly canUndo: ReadonlySignal<boolean>;
  /** Where the focus goes next, as a selector inside of the tab; the view takes it away. */
  readonly focus: Signal<string | undefined> = signal();
  readonly #suite: SuiteStore;
  readonly #start: Signal<Values>;
  readonly #given: Signal<Values>;
  readonly #wasTried = signal(false);
  readonly #removed: Signal<Removed | undefined> = signal();
  readonly #candidate: ReadonlySignal<Candidate>;
  readonly #faults: ReadonlySignal<readonly Issue[]>;

  constructor(suite: SuiteStore, kind: EntryKind) {
    this.#suite = suite;
    this.kind = kind;
    this.#start = signal(kind.blank);
    this.#given = signal(kind.blank);
    this.entries = computed(() => suite.document.value[kind.section] ?? NONE);
    this.verdicts = computed(() => kind.verdicts(this.entries.value));
    this.values = computed(() => (this.edited.value ? this.#given.value : kind.withDefaults(this.#given.value)));
    this.isDirty = computed(() => this.#isChanged(kind.fields));
    this.isUnsaved = computed(() => this.#isChanged(this.edited.value ? kind.fields : kind.typed));
    this.canUndo = computed(() => this.#removed.value?.after === this.entries.value);
    this.#candidate = computed(() => this.#decide());
    this.#faults = computed(() => this.#judge());
    this.issues = computed(() => this.#told());
    effect(() => this.#follow());
  }

  set(field: string, value: string): void {
    this.#given.value = this.kind.chosen({ ...this.#given.value, [field]: value }, field);
  }

  save(): void {
    if (this.#faults.value.length > 0) return this.#refuse();
    const [entry, before, list] = [this.#candidate.value, this.edited.value, this.entries.value];
    const index = before ? list.indexOf(before) : list.length;
    batch(() => {
      this.#load(undefined);
      this.#put(before ? list.with(index, entry) : [...list, entry]);
      this.said.value = { tone: "success", text: `${before ? "Saved" : "Added"} ${this.#nameOf(entry)}.` };
      this.#focusEntry(index);
    });
  }

  edit(entry: Candidate): void {
    batch(() => {
      this.#load(entry);
      this.said.value = undefined;
      this.focus.value = FORM;
    });
  }

  /** Leaves the edit, or empties the form. */
  cancel(): void {
    const index = this.edited.value ? this.entries.value.indexOf(this.edited.value) : -1;
    batch(() => {
      this.#load(undefined);
      this.said.value = undefined;
      this.#focusEntry(index);
    });
  }

  duplicate(entry: Candidate): void {
    const list = this.entries.value;
    const copy = this.kind.copied?.(entry, list);
    if (copy === undefined) return;
    batch(() => {
      this.#put([...list, copy]);
      this.said.value = { tone: "success", text: `Duplicated ${this.#nameOf(entry)} as ${this.#nameOf(copy)}.` };
      this.#focusEntry(list.length);
    });
  }

  remove(entry: Candidate): void {
    const before = this.entries.value;
    const index = before.indexOf(entry);
    if (index === -1) return;
    const after = before.toSpliced(index, 1);
    const isEdited = this.edited.value === entry;
    const said = isEdited ? " Its edit is cancelled." : "";
    batch(() => {
      if (isEdited) this.#load(undefined);
      this.#put(after);
      this.#removed.value = { before, after };
      this.said.value = { tone: "success", text: `Deleted ${this.#nameOf(entry)}.${said}` };
      this.#focusEntry(Math.min(index, after.length - 1));
    });
  }

  /** Brings back what was deleted last. */
  undo(): void {
    const removed = this.#removed.value;
    if (removed?.after !== this.entries.value) return;
    batch(() => {
      this.#put(removed.before);
      this.said.value = { tone: "success", text: "The deletion is undone." };
      this.#focusEntry(removed.before.findIndex((entry) => !removed.after.includes(entry)));
    });
  }

  #isChanged(fields: readonly string[]): boolean {
    return changedFields(this.#start.value, this.#given.value, fields).length > 0;
  }

  #put(list: readonly Candidate[]): void {
    this.#suite.update((document) => ({ ...document, [this.kind.section]: list }));
  }

  #load(entry: Candidate | undefined): void {
    const { kind } = this;
    this.edited.value = entry;
    this.#start.value = entry ? textsOf(entry, kind.fields) : kind.blank;
    this.#given.value = entry ? kind.chosen(this.#start.value, "") : kind.blank;
    this.#wasTried.value = false;
  }

  #decide(): Candidate {
    const [start, given, before] = [this.#start.value, this.#given.value, this.edited.value];
    if (before === undefined) return this.kind.added(filled(given));
    const changed = changedFields(start, given, this.kind.fields);
    return this.kind.changed(before, {
      // What is no text stays as it is until somebody changes it.
      values: filled(Object.fromEntries(changed.map((field) => [field, textIn(given, field)]))),
      clear: changed.filter((field) => textIn(given, field) === ""),
    });
  }

  #judge(): readonly Issue[] {
    const before = this.edited.value;
    const others = this.entries.value.filter((entry) => entry !== before);
    const found = this.kind.issues(this.#candidate.value, others);
    return before === undefined ? found : splitKnown(found, before).bad;
  }

  #told(): readonly Issue[] {
    if (this.#wasTried.value) return this.#faults.value;
    return this.#faults.value.filter(({ path }) => textIn(this.values.value, String(path[0])) !== "");
  }

  #refuse(): void {
    batch(() => {
      this.#wasTried.value = true;
      this.said.value = refusal(this.#faults.value.length);
      this.focus.value = REFUSED;
    });
  }

  /** Another tab of the browser may have written the document: the entry in the form is looked for in the new list. */
  #follow(): void {
    const entry = this.edited.value;
    if (entry === undefined || this.entries.value.includes(entry)) return;
    const text = JSON.stringify(entry);
    this.edited.value = this.entries.value.find((other) => JSON.stringify(other) === text);
    if (this.edited.value !== undefined) return;
    const said = `${this.#nameOf(entry)} was changed or deleted elsewhere. The form now adds a new one.`;
    this.said.value = { tone: "warning", text: said };
  }

  #focusEntry(index: number): void {
    this.focus.value = index === -1 ? FORM : `[data-entry="${index}"]`;
  }

  #nameOf(entry: Candidate): string {
    return this.kind.nameOf(entry) || `${this.kind.noun} without a name`;
  }
}

interface Removed {
  readonly before: readonly Candidate[];
  readonly after: readonly Candidate[];
}

function changedFields(start: Values, given: Values, fields: readonly string[]): string[] {
  return fields.filter((field) => textIn(start, field) !== textIn(given, field));
}

function textIn(values: Values, field: string): string {
  return values[field] ?? "";
}

function filled(values: Values): Values {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== ""));
}

function textsOf(entry: Candidate, fields: readonly string[]): Values {
  return Object.fromEntries(
    fields.map((field) => {
      const value = entry[field] ?? "";
      return [field, typeof value === "string" ? value : JSON.stringify(value)];
    }),
  );
}
