import { batch, computed, signal } from "@preact/signals";
import type { Issue } from "../../core/api/issue.ts";
import type { Candidate } from "../../core/deployments/file.ts";
import { pluralize } from "../data/format.ts";

/** The texts of a form. An empty text omits its field. */
export type Values = Readonly<Record<string, string>>;

export interface FormMessage {
  readonly tone: "success" | "warning" | "error";
  readonly text: string;
}

/** Stores only valid values, and never adjusts them. */
export abstract class Form {
  readonly message = signal<FormMessage | undefined>();
  /** The selector of the element that gets the focus next; the view resets it. */
  readonly focus = signal<string | undefined>();
  /** With defaults. */
  readonly values = computed(() => this.complete(this.given.value));
  readonly isDirty = computed(() => this.changed.value.length > 0);
  /** True if the form has something to lose: for a new entry, typed text rather than a selection. */
  readonly isUnsaved = computed(() => this.changed.value.some((field) => this.isEdit() || this.isTyped(field)));
  /** An empty field has no issues until the user has tried to save. */
  readonly issues = computed((): readonly Issue[] =>
    this.#faults.value.filter(
      ({ path }) => this.#wasTried.value || fieldText(this.values.value, path.join(".")) !== "",
    ),
  );
  protected readonly changes = signal<Values>({});
  protected readonly given = computed((): Values => ({ ...this.start(), ...this.changes.value }));
  protected readonly changed = computed(() => changedFields(this.start(), this.given.value, this.fields()));
  readonly #candidate = computed(() => this.decide());
  readonly #faults = computed(() => this.judge(this.#candidate.value));
  readonly #wasTried = signal(false);

  abstract fields(): readonly string[];
  protected abstract isTyped(field: string): boolean;
  abstract isEdit(): boolean;
  protected abstract start(): Values;
  protected abstract complete(given: Values): Values;
  protected abstract decide(): Candidate;
  protected abstract judge(candidate: Candidate): readonly Issue[];
  protected abstract store(candidate: Candidate): void;

  set(field: string, value: string): void {
    this.changes.value = { ...this.changes.value, [field]: value };
  }

  save(): void {
    const { length } = this.#faults.value;
    batch(() => {
      if (length === 0) return this.store(this.#candidate.value);
      this.#wasTried.value = true;
      const text = `Not saved: ${pluralize(length, "issue")}. The saved state is unchanged.`;
      this.message.value = { tone: "error", text };
      this.focus.value = "form [aria-invalid=true], form .issues";
    });
  }

  issuesOf(field: string): readonly Issue[] {
    return this.issues.value.filter(({ path }) => path.join(".") === field);
  }

  otherIssues(): readonly Issue[] {
    return this.issues.value.filter(({ path }) => !this.fields().includes(path.join(".")));
  }

  savedOf(_field: string): string | undefined {
    return undefined;
  }

  protected clear(): void {
    this.changes.value = {};
    this.#wasTried.value = false;
  }
}

export function changedFields(before: Values, after: Values, fields: readonly string[]): string[] {
  return fields.filter((field) => fieldText(before, field) !== fieldText(after, field));
}

export function fieldText(values: Values, field: string): string {
  return values[field] ?? "";
}

export function toEdit(values: Values, changed: readonly string[]): { values: Values; clear: readonly string[] } {
  return {
    values: Object.fromEntries(
      changed.flatMap((field) => (fieldText(values, field) === "" ? [] : [[field, fieldText(values, field)]])),
    ),
    clear: changed.filter((field) => fieldText(values, field) === ""),
  };
}

/** A stored value as text: a value of another type is shown as JSON. */
export function toText(value: unknown = ""): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
