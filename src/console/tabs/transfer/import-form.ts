import { batch, computed, signal, type Signal } from "@preact/signals";
import { validateDocument } from "../../../core/deployments/validate.ts";
import type { Console } from "../../console.ts";
import { LatestRequest, errorText, type Problem } from "../../data/request-error.ts";
import { type DeploymentsDocument, migrateDocument, shapeProblem } from "../../state/document-store.ts";
import type { Candidate, Vocabulary } from "../../../core/deployments/file.ts";
import { isRecord } from "../../../core/words/record.ts";
import { isLegacyTarget } from "../../../core/deployments/shape.ts";
import type { DisplayedIssue } from "../../ui/Problem.tsx";

/** The server reads each text; only the last answer counts. */
export class ImportForm {
  readonly text = signal("");
  readonly fileName = signal("");
  readonly reading = signal<ImportResult | undefined>();
  readonly isChecking = signal(false);
  readonly canUndo = computed(() => this.#replaced.value?.after === this.#page.store.document.value);
  readonly #page: Console;
  readonly #question = new LatestRequest();
  #version = 0;
  readonly #replaced: Signal<
    { readonly before: DeploymentsDocument; readonly after: DeploymentsDocument } | undefined
  > = signal();

  constructor(page: Console) {
    this.#page = page;
  }

  /** @throws {DOMException} if the file cannot be read, for example because it has changed */
  async setFile(file: File): Promise<void> {
    const version = ++this.#version;
    const text = await file.text();
    if (version === this.#version) this.setText(text, file.name);
  }

  setText(text: string, fileName = ""): void {
    this.#version++;
    this.#question.abort();
    const json = readJson(text, fileName);
    const isFaulty = json !== undefined && json.document === undefined;
    const isAsking = !isFaulty && text.trim() !== "";
    batch(() => {
      this.text.value = text;
      this.fileName.value = fileName;
      this.reading.value = isFaulty ? this.#readingOf(json) : undefined;
      this.isChecking.value = isAsking;
    });
    if (isAsking) void this.#ask(text, json);
  }

  take(): void {
    const after = this.reading.value?.document;
    if (after === undefined) return;
    const before = this.#page.store.document.value;
    batch(() => {
      this.#page.store.update(() => after);
      this.#replaced.value = { before, after };
      this.setText("");
    });
  }

  /** Does nothing if the document has changed since the import. */
  undo(): void {
    if (this.canUndo.value) this.#page.store.update((document) => this.#replaced.value?.before ?? document);
  }

  /** @param json used if the server does not answer */
  async #ask(text: string, json: ParsedText | undefined): Promise<void> {
    const answered = await this.#question.send((aborted) => this.#page.api.validate(text, aborted));
    if (answered === undefined) return;
    const { problem } = answered;
    const read = answered.answer ?? (problem?.status === undefined ? json && this.#judged(json) : undefined);
    batch(() => {
      this.reading.value = read ? this.#readingOf(read) : { issues: [], migrated: 0, ...(problem && { problem }) };
      this.isChecking.value = false;
    });
  }

  #judged(json: ParsedText): ParsedText {
    return { ...json, issues: validateDocument(json.document, this.#page.facts.vocabulary) };
  }

  #readingOf(read: ParsedText): ImportResult {
    return toImportResult(read, this.#page.facts.vocabulary);
  }
}

interface ParsedText {
  readonly document?: unknown;
  readonly issues: readonly DisplayedIssue[];
}

export interface ImportResult {
  readonly document?: DeploymentsDocument;
  readonly issues: readonly DisplayedIssue[];
  /** The number of deploy targets migrated from an earlier form. */
  readonly migrated: number;
  /** Why the text is not a document, if the issues do not explain it. */
  readonly reason?: string;
  readonly problem?: Problem;
}

/**
 * Migrates legacy deploy targets; entries with issues are kept and flagged.
 *
 * @see the specification, "Versioning" 2 and 4
 */
function toImportResult({ document, issues }: ParsedText, vocabulary: Vocabulary): ImportResult {
  if (document === undefined) return { issues, migrated: 0 };
  const reason = shapeProblem(document);
  if (reason !== undefined) return { issues, migrated: 0, reason };
  const map = document as Candidate;
  return { document: migrateDocument(map, vocabulary), issues, migrated: legacyCount(map) };
}

function legacyCount({ deployments }: Candidate): number {
  const list: unknown[] = Array.isArray(deployments) ? deployments : [];
  return list.filter((entry) => isRecord(entry) && isLegacyTarget(entry)).length;
}

/** Reads JSON without the server; issues then have no positions. `undefined` for YAML. */
function readJson(text: string, fileName: string): ParsedText | undefined {
  if (!/\.json$/i.test(fileName) && !/^\s*[{[]/.test(text)) return undefined;
  try {
    return { issues: [], document: JSON.parse(text.replace(/^\uFEFF/, "")) as unknown };
  } catch (error) {
    const message = `is not JSON: ${errorText(error)}`;
    return { issues: [{ code: "JSON_SYNTAX", severity: "error", path: [], message }] };
  }
}
