import { batch, computed, signal } from "@preact/signals";
import type { Issue } from "../../../core/api/issue.ts";
import { validateDocument } from "../../../core/deployments/validate.ts";
import { type Console, useConsole } from "../../console.ts";
import type { EnvRead, EnvWrite, Tagged } from "../../data/api.ts";
import { Question } from "../../data/question.ts";
import { problemOf, type Problem } from "../../data/request-error.ts";
import type { Mark } from "../index.ts";
import { changesOf, issuesOf, type Edits } from "./changes.ts";

type FileRead = Tagged<EnvRead>;

/** What became of the last save. */
export type Outcome = { readonly written: EnvWrite } | { readonly problem: Problem; readonly sent: Edits };

/** One environment's file as it was read, and what is to be changed in it. */
export class Editor {
  /** By its canonical name; empty while none is selected. */
  readonly environment;
  readonly read = signal<FileRead | undefined>();
  readonly edits = signal<Edits>({});
  /** The file as it is now, where it is not the one that was edited. */
  readonly conflict = signal<FileRead | undefined>();
  /** Why the file could not be read. */
  readonly problem = signal<Problem | undefined>();
  readonly outcome = signal<Outcome | undefined>();
  readonly isSaving = signal(false);
  readonly changes = computed(() => (this.read.value ? changesOf(this.read.value, this.edits.value) : []));
  readonly issues = computed(() => issuesOf(this.#console.facts.contract.keys, this.changes.value));
  readonly #console: Console;
  readonly #reading = new Question();

  constructor(console: Console) {
    this.#console = console;
    this.environment = signal(selectionOf(console).name);
  }

  /** What is wrong with the stored selection. It stays stored until another environment is selected. */
  readonly selectionIssues = computed((): readonly Issue[] => {
    const { runtimeEnvironment } = this.#console.suite.document.value;
    return validateDocument({ runtimeEnvironment }, this.#console.facts.vocabulary);
  });

  /** Starts over with the selection of the stored document. */
  open(): void {
    this.#show(selectionOf(this.#console));
  }

  /** Ends what is under way. */
  close(): void {
    this.#reading.abort();
  }

  /** Another environment; the selection is stored, its values never are. */
  select(name: string): void {
    if (name === this.environment.value || !this.mayLeave()) return;
    this.#console.suite.update((document) => ({ ...document, runtimeEnvironment: name }));
    this.#show({ name });
  }

  /** Asks where something would be lost. @returns whether nothing is, now */
  mayLeave(): boolean {
    const { length } = this.changes.value;
    if (length === 0) return true;
    const what = length === 1 ? "1 change" : `${length} changes`;
    if (!confirm(`${what} to ${this.read.value?.fileName ?? "the file"} not saved. Discard and go on?`)) return false;
    this.discard();
    return true;
  }

  edit(key: string, value: string): void {
    this.edits.value = { ...this.edits.value, [key]: value };
    if (this.outcome.value && "written" in this.outcome.value) this.outcome.value = undefined;
  }

  discard(): void {
    batch(() => {
      this.edits.value = {};
      this.outcome.value = undefined;
      this.read.value = this.conflict.value ?? this.read.value;
      this.conflict.value = undefined;
    });
  }

  /** Reads the file again. Edits stay; where it is another file by now, that is a conflict to decide. */
  async load(): Promise<void> {
    const { value: environment } = this.environment;
    if (environment === "") return this.close();
    const asked = await this.#reading.ask((aborted) => this.#console.api.envRead(environment, aborted));
    const read = asked?.answer;
    const isOther = this.read.value?.entityTag !== read?.entityTag;
    batch(() => {
      if (asked) this.problem.value = asked.problem;
      if (read && this.changes.value.length > 0 && isOther) this.conflict.value = read;
      else if (read) this.read.value = read;
    });
  }

  /** Reads the file again because somebody asked for it, who is told what came of it. */
  async reload(): Promise<void> {
    const before = this.read.value;
    await this.load();
    const now = this.conflict.value ?? this.read.value;
    if (!before || !now || this.problem.value) return;
    const words = before.entityTag === now.entityTag ? "it is as it was" : "it was changed";
    this.#console.toasts.info(`Read ${now.fileName} again: ${words}.`);
  }

  /** Writes what is changed, if the file is still the one that was read. */
  async save(): Promise<void> {
    const [environment, read, changes] = [this.environment.value, this.read.value, this.changes.value];
    if (!read || this.isSaving.value || changes.length === 0 || this.issues.value.length > 0) return;
    const sent = Object.fromEntries(changes.map(({ key, to }) => [key, to]));
    this.isSaving.value = true;
    try {
      const written = await this.#console.api.envWrite({ environment, values: sent }, read.entityTag);
      if (this.environment.value === environment) this.#take(written, sent);
    } catch (error) {
      const problem = problemOf(error);
      if (this.environment.value === environment) this.outcome.value = { problem, sent };
      if (problem.status === 412) await this.load();
    } finally {
      this.isSaving.value = false;
    }
  }

  /** Puts the edits on top of the file as it is now. Nothing is written before the next save. */
  reapply(): void {
    batch(() => {
      this.read.value = this.conflict.value;
      this.conflict.value = undefined;
      this.outcome.value = undefined;
    });
  }

  #take(written: Tagged<EnvWrite>, sent: Edits): void {
    const since = Object.entries(this.edits.value).filter(([key, value]) => sent[key] !== value);
    batch(() => {
      this.read.value = written;
      this.edits.value = Object.fromEntries(since);
      this.outcome.value = { written };
    });
  }

  #show({ name, refusal }: Selection): void {
    batch(() => {
      this.environment.value = name;
      this.read.value = undefined;
      this.problem.value = refusal;
      this.discard();
    });
    void this.load();
  }
}

/** The console's one editor: what is not saved is marked whether its tab is open or not. */
export function editorOf(console: Console): Editor {
  return console.kept("environment", () => new Editor(console));
}

export function useEditor(): Editor {
  return editorOf(useConsole());
}

export function environmentMark(console: Console): Mark {
  const { changes, issues, selectionIssues } = editorOf(console);
  return { errors: issues.value.length + selectionIssues.value.length, isUnsaved: changes.value.length > 0 };
}

interface Selection {
  /** Canonical; empty if none can be selected. */
  readonly name: string;
  /** Why there is no default. */
  readonly refusal?: Problem;
}

/** The stored selection; where nothing is stored, what the server takes for a request without an environment. */
function selectionOf({ facts, suite }: Console): Selection {
  const { runtimeEnvironment: stored } = suite.document.value;
  if (stored === undefined) {
    const taken = facts.defaults.envFile;
    return "refusal" in taken ? { name: "", refusal: taken.refusal } : { name: taken.name };
  }
  const asked = typeof stored === "string" ? stored.trim().toLowerCase() : "";
  const found = Object.entries(facts.contract.environments).find(
    ([name, { aliases = [] }]) => name === asked || aliases.includes(asked),
  );
  return { name: found?.[0] ?? "" };
}
