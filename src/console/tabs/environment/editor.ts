import { batch, computed, signal } from "@preact/signals";
import type { Issue } from "../../../core/api/issue.ts";
import { validateDocument } from "../../../core/deployments/validate.ts";
import { type Console, useConsole } from "../../console.ts";
import type { EnvReadResponse, EnvWriteResponse } from "../../../core/api/bodies.ts";
import { isProductionName } from "../../../core/words/production.ts";
import type { Tagged } from "../../data/request.ts";
import { pluralize } from "../../data/format.ts";
import { LatestRequest, toProblem, type Problem } from "../../data/request-error.ts";
import { selectionPart, textPart } from "../../state/address.ts";
import type { Mark } from "../../state/router.ts";
import { listChanges, validateChanges, type Edits } from "./changes.ts";
import { monitorOf } from "../monitoring/monitor.ts";

export type FileRead = Tagged<EnvReadResponse>;

/** A write can be undone until the file changes again; `before` has the former values. */
export type Outcome =
  | { readonly written: Tagged<EnvWriteResponse>; readonly before: Edits }
  | { readonly problem: Problem; readonly sent: Edits };

export class Editor {
  /** The canonical name; empty without a selection. */
  readonly environment;
  readonly read = signal<FileRead | undefined>();
  readonly edits = signal<Edits>({});
  readonly conflict = signal<FileRead | undefined>();
  readonly problem = signal<Problem | undefined>();
  readonly outcome = signal<Outcome | undefined>();
  readonly comparedWith = signal("");
  readonly isSaving = signal(false);
  readonly changes = computed(() => (this.read.value ? listChanges(this.read.value, this.edits.value) : []));
  readonly issues = computed(() => validateChanges(this.#page.facts.contract.keys, this.changes.value));
  readonly #page: Console;
  readonly #reading = new LatestRequest();
  #isOpen = false;

  constructor(page: Console) {
    this.#page = page;
    this.environment = signal(selectionOf(page).name);
  }

  /** An invalid selection stays stored until another environment is selected. */
  readonly selectionIssues = computed((): readonly Issue[] => {
    const { runtimeEnvironment } = this.#page.store.document.value;
    return validateDocument({ runtimeEnvironment }, this.#page.facts.vocabulary);
  });

  open(): void {
    this.#isOpen = true;
    this.#show(selectionOf(this.#page));
  }

  close(): void {
    this.#isOpen = false;
    this.#reading.abort();
  }

  select(name: string): void {
    if (name === this.environment.value || !this.mayLeave()) return;
    const { store, facts } = this.#page;
    store.update((document) => ({ ...document, runtimeEnvironment: name }));
    // Some environments have an env file, and PM2 runs no app of them.
    if (facts.matrix.pm2Profiles.includes(name)) monitorOf(this.#page).selectEnvironment(name);
    if (this.#isOpen) this.#show({ name });
    else this.environment.value = name;
  }

  follow(spelling: string): void {
    const { facts, toasts } = this.#page;
    const name = canonicalName(facts, spelling);
    if (name !== undefined) return this.select(name);
    const accepted = Object.keys(facts.contract.environments).join(", ");
    toasts.error(`The link names an environment that does not exist. Accepted: ${accepted}. Select one of them.`);
  }

  /** Asks before edits are lost. @returns whether the user may leave */
  mayLeave(): boolean {
    const { length } = this.changes.value;
    if (length === 0) return true;
    const changes = pluralize(length, "change");
    if (!confirm(`${changes} to ${this.read.value?.fileName ?? "the file"} not saved. Discard and continue?`))
      return false;
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

  /** Keeps the edits; if the file has changed, the user resolves the conflict. */
  async load(): Promise<void> {
    const { value: environment } = this.environment;
    if (environment === "") return this.#reading.abort();
    const result = await this.#reading.send((aborted) => this.#page.api.envRead(environment, aborted));
    const read = result?.answer;
    const isOther = this.read.value?.entityTag !== read?.entityTag;
    batch(() => {
      if (result) this.problem.value = result.problem;
      if (read && this.changes.value.length > 0 && isOther) this.conflict.value = read;
      else if (read) this.read.value = read;
    });
  }

  async reload(): Promise<void> {
    const before = this.read.value;
    await this.load();
    const now = this.conflict.value ?? this.read.value;
    if (!before || !now || this.problem.value) return;
    const words = before.entityTag === now.entityTag ? "it has not changed" : "it has changed";
    this.#page.toasts.info(`Read ${now.fileName} again: ${words}.`);
  }

  async save(): Promise<void> {
    const { value: changes } = this.changes;
    if (changes.length === 0 || this.issues.value.length > 0) return;
    await this.#write(Object.fromEntries(changes.map(({ key, to }) => [key, to])));
  }

  /** Restores the values from before the save. Later edits stay. */
  async undo(): Promise<void> {
    const { value: outcome } = this.outcome;
    if (outcome !== undefined && "written" in outcome) await this.#write(outcome.before);
  }

  async #write(sent: Edits): Promise<void> {
    const [environment, read] = [this.environment.value, this.read.value];
    const service = this.#page.service.peek();
    const isOpen = (): boolean => this.environment.value === environment && this.#page.service.peek() === service;
    if (!read || this.isSaving.value || !(await this.#mayWrite(Object.keys(sent)))) return;
    const before = Object.fromEntries(Object.keys(sent).map((key) => [key, read.values[key] ?? ""]));
    this.isSaving.value = true;
    try {
      const written = await this.#page.api.envWrite({ environment, values: sent }, read.entityTag);
      if (isOpen()) this.#receive(written, { sent, before });
    } catch (error) {
      const problem = toProblem(error);
      if (isOpen()) this.outcome.value = { problem, sent };
      if (problem.status === 412 && isOpen()) await this.load();
    } finally {
      this.isSaving.value = false;
    }
  }

  /** In production, the user types the name of the environment. */
  async #mayWrite(keys: readonly string[]): Promise<boolean> {
    const { value: name } = this.environment;
    if (!isProductionName(name)) return true;
    const { questions, facts } = this.#page;
    return await questions.ask({
      title: `Write ${pluralize(keys.length, "key")} of ${name}?`,
      about: `${facts.host} changes ${this.read.value?.fileName ?? "the file"}: ${keys.join(", ")}.`,
      name,
      verb: "Write",
    });
  }

  reapply(): void {
    batch(() => {
      this.read.value = this.conflict.value;
      this.conflict.value = undefined;
      this.outcome.value = undefined;
    });
  }

  #receive(
    written: Tagged<EnvWriteResponse>,
    { sent, before }: { readonly sent: Edits; readonly before: Edits },
  ): void {
    const since = Object.entries(this.edits.value).filter(([key, value]) => sent[key] !== value);
    batch(() => {
      this.read.value = written;
      this.edits.value = Object.fromEntries(since);
      this.outcome.value = { written, before };
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

export function editorOf(page: Console): Editor {
  return page.getOrCreate("environment", () => {
    const editor = new Editor(page);
    const tab = "environment";
    page.router.keep(
      selectionPart(
        { name: "environment", tab },
        () => editor.environment.value,
        (name) => editor.follow(name),
      ),
      textPart({ name: "compare", tab }, editor.comparedWith),
    );
    return editor;
  });
}

export function useEditor(): Editor {
  return editorOf(useConsole());
}

export function environmentMark(page: Console): Mark {
  const { changes, issues, selectionIssues } = editorOf(page);
  return { errors: issues.value.length + selectionIssues.value.length, isUnsaved: changes.value.length > 0 };
}

interface Selection {
  /** Canonical; empty without a valid selection. */
  readonly name: string;
  readonly refusal?: Problem;
}

/** Without a stored selection, that of the page. */
function selectionOf(page: Console): Selection {
  const { facts, store } = page;
  const { runtimeEnvironment: stored } = store.document.value;
  if (stored === undefined) {
    const { envFile } = facts.defaults;
    const shown = canonicalName(facts, monitorOf(page).feed.environment.value);
    if (shown !== undefined) return { name: shown };
    return "refusal" in envFile ? { name: "", refusal: envFile.refusal } : { name: envFile.name };
  }
  return { name: (typeof stored === "string" && canonicalName(facts, stored)) || "" };
}

function canonicalName({ contract }: Console["facts"], spelling: string): string | undefined {
  const folded = spelling.trim().toLowerCase();
  return Object.entries(contract.environments).find(
    ([name, { aliases = [] }]) => name === folded || aliases.includes(folded),
  )?.[0];
}
