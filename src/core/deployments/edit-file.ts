import { isValid, type Issue } from "../api/issue.ts";
import { maskCredentials, maskSource } from "../secrets/redact.ts";
import { refusal, SvcmError } from "../errors.ts";
import type { Caller } from "../caller.ts";
import { FileError, type Ports } from "../ports/index.ts";
import type { DocumentEdit } from "./edit/edit.ts";
import type { Vocabulary } from "./vocabulary.ts";
import { isJsonFile } from "./read.ts";
import { shownEntry } from "./shown.ts";
import type { YamlSource } from "../yaml/source.ts";
import type { Change } from "../yaml/splice/change.ts";
import { audited } from "../audit/audited.ts";
import { DEPLOYMENTS_FILE, documentText, documentFailure, documentPath, vocabularyOf } from "./file.ts";

/** A changed place of the document. `line` counts from 1 in the text before. Credentials are masked. */
export interface LineChange {
  readonly line: number;
  readonly before: readonly string[];
  readonly after: readonly string[];
}

export interface DocumentEditResponse {
  /** As it was asked for, relative to the repository root. */
  readonly file: string;
  readonly dryRun: boolean;
  readonly changed: boolean;
  /** Whether the file is new. */
  readonly created: boolean;
  /** The entry that was changed, by the name that it had. */
  readonly target: string;
  /** Names of the fields with another value; all of them for an entry that comes or goes. */
  readonly keys: readonly string[];
  /** The entry afterwards; absent where it goes. */
  readonly entry?: Readonly<Record<string, unknown>>;
  /** The entry before; absent where it is new, or goes. */
  readonly previous?: Readonly<Record<string, unknown>>;
  /** Fields that were not asked for and took their default. */
  readonly defaults: readonly string[];
  readonly changes: readonly LineChange[];
  /** What is wrong with the entry and was so before. */
  readonly issues: readonly Issue[];
}

export interface DocumentEditRequest {
  readonly file?: string | undefined;
  readonly dryRun: boolean;
  /** For the audit log, for example `suite.target.add`. */
  readonly action: string;
  /** The entry as the caller names it: what the audit log says of an attempt that is refused. */
  readonly entry?: string | undefined;
  /** Whether a document that is not there is made. */
  readonly mayCreate: boolean;
}

/** Decides on the document as data; `undefined` for one that holds nothing yet. */
export type Decide = (document: unknown, vocabulary: Vocabulary) => DocumentEdit;

interface Planned {
  readonly text: string;
  readonly edit: DocumentEdit;
  readonly changes: readonly LineChange[];
}

/**
 * Edits the deployments document: decides, changes only the lines that the edit is about, and writes them
 * as one locked, atomic and audited transaction, or not at all. No change is no write and no record.
 *
 * @throws {SvcmError} what `decide` throws; SUITE_FILE_FAILED where the document cannot be read,
 *   edited or written.
 */
export async function editDocument(
  ports: Ports,
  caller: Caller,
  request: DocumentEditRequest,
  decide: Decide,
): Promise<DocumentEditResponse> {
  const { file = DEPLOYMENTS_FILE, dryRun } = request;
  const edit = async (carryOut: (path: string, plan: Plan) => Promise<Outcome>): Promise<DocumentEditResponse> => {
    const path = documentPath(ports, file);
    const plan = await planner(ports, file, path, decide);
    try {
      const { planned, created } = await carryOut(path, plan);
      return response(file, dryRun, created, planned);
    } catch (error) {
      throw documentFailure(error, path);
    }
  };
  if (dryRun) return await edit((path, plan) => planOnly(ports, request, path, plan));
  const about = { action: request.action, ...named(file, request.entry) };
  return await audited(
    ports,
    caller,
    () => about,
    (begin) =>
      edit((path, plan) =>
        write(ports, request, path, begin, (text) => {
          const planned = plan(text);
          const { target, keys, before } = planned.edit;
          // The name says all of an entry that comes or goes; its fields would say nothing more.
          Object.assign(about, named(file, target), before && { keys });
          return planned;
        }),
      ),
  );
}

const LONGEST_TARGET = 200;

/** What the audit log calls an entry of a document. */
function named(file: string, entry = ""): { target?: string } {
  const name = maskCredentials(entry);
  const target = file === DEPLOYMENTS_FILE ? name : `${file}: ${name}`;
  return target === "" ? {} : { target: target.slice(0, LONGEST_TARGET) };
}

type Plan = (text: string) => Planned;

interface Outcome {
  readonly planned: Planned;
  readonly created: boolean;
}

async function planOnly(ports: Ports, { mayCreate }: DocumentEditRequest, path: string, plan: Plan): Promise<Outcome> {
  try {
    return { planned: plan(documentText(await ports.files.read(path), path)), created: false };
  } catch (error) {
    if (!mayCreate || !isMissing(error)) throw error;
    return { planned: plan(""), created: true };
  }
}

async function write(
  ports: Ports,
  { mayCreate }: DocumentEditRequest,
  path: string,
  begin: () => Promise<void>,
  plan: Plan,
): Promise<Outcome> {
  let planned: Planned | undefined;
  const planFor = (text: string): Planned => (planned = plan(text));
  const decide = (current: Uint8Array): Uint8Array | undefined => {
    const text = documentText(current, path);
    const next = planFor(text).text;
    return next === text ? undefined : new TextEncoder().encode(next);
  };
  const replace = async (): Promise<Outcome> => {
    const bytes = await ports.files.replace(path, decide, begin);
    return { planned: planned ?? planFor(documentText(bytes, path)), created: false };
  };
  try {
    return await replace();
  } catch (error) {
    if (!mayCreate || !isMissing(error)) throw error;
  }
  try {
    const made = planFor("");
    await ports.files.create(path, new TextEncoder().encode(made.text), begin);
    return { planned: made, created: true };
  } catch (error) {
    // Another process made it in between.
    if (!(error instanceof FileError) || error.code !== "EEXIST") throw error;
    return await replace();
  }
}

async function planner(ports: Ports, file: string, path: string, decide: Decide): Promise<Plan> {
  const vocabulary = await vocabularyOf(ports);
  const isJson = isJsonFile(file);
  const [{ parseYaml }, { refuseNoJson }, { editYaml }, { UneditableYaml }, { DOCUMENT_VERSION }] = await Promise.all([
    import("../yaml/parse.ts"),
    import("../yaml/json.ts"),
    import("../yaml/splice/edit-yaml.ts"),
    import("../yaml/splice/change.ts"),
    import("./shape.ts"),
  ]);
  return (text) => {
    const source = (isJson ? refuseNoJson(text, file) : undefined) ?? parseYaml(text, file);
    const value = editableValue(source);
    const edit = decide(value, vocabulary);
    const isNew = value === undefined || Object.keys(value as object).length === 0;
    const version: Change = { kind: "lead", path: ["version"], value: DOCUMENT_VERSION };
    const leads = isNew && edit.changes.length > 0 && !edit.changes.some(({ kind }) => kind === "lead");
    try {
      const edited = editYaml({ text, value, isJson }, [...(leads ? [version] : []), ...edit.changes]);
      return { text: edited.text, edit, changes: edited.changes };
    } catch (error) {
      throw error instanceof UneditableYaml ? uneditable(error, file, path) : error;
    }
  };
}

/** What a document says; `undefined` for an empty one. @throws {SvcmError} INVALID_PAYLOAD if it is not valid YAML */
function editableValue({ value, issues }: YamlSource): unknown {
  if (value === null || issues.some(({ code }) => code === "YAML_EMPTY")) return undefined;
  if (!isValid(issues)) throw refusal("INVALID_PAYLOAD", issues);
  return value;
}

function uneditable({ message }: Error, file: string, path: string): SvcmError {
  return new SvcmError("SUITE_FILE_FAILED", {
    code: "SUITE_FILE_UNEDITABLE",
    path,
    details: `This cannot be done in ${file} by changing its own lines only: ${message}.`,
    hint: "change it by hand, then run svcm validate",
  });
}

function response(file: string, dryRun: boolean, created: boolean, { edit, changes }: Planned): DocumentEditResponse {
  return {
    file,
    dryRun,
    changed: changes.length > 0,
    created,
    target: edit.target,
    keys: edit.keys,
    ...(edit.entry && { entry: shownEntry(edit.entry) }),
    ...(edit.before && { previous: shownEntry(edit.before) }),
    defaults: edit.defaults ?? [],
    changes: changes.map(({ line, before, after }) => ({
      line,
      before: before.map(maskSource),
      after: after.map(maskSource),
    })),
    issues: edit.left ?? [],
  };
}

function isMissing(error: unknown): boolean {
  return error instanceof FileError && error.code === "ENOENT";
}
