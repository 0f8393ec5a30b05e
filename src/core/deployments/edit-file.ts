import type { HasFiles } from "../files/ports.ts";
import type { HasFacts } from "../project/port-repository.ts";
import type { Audited } from "../access/ports.ts";
import { editFile, withAudit, type Attempt } from "../access/with-audit.ts";
import type { Caller } from "../access/operation.ts";
import { maskMembers, maskLine } from "../secrets/source-lines.ts";
import { maskCredentials } from "../secrets/redact.ts";
import { SvcmError, refusal } from "../api/errors.ts";
import { tagMatcher } from "../words/http.ts";
import {
  DEPLOYMENTS_FILE,
  documentFailure,
  documentPath,
  documentText,
  vocabularyOf,
  type Vocabulary,
} from "./file.ts";
import { type Issue, isValid } from "../api/issue.ts";
import type { LineChange } from "../words/text.ts";
import type { YamlSource } from "../yaml/source.ts";
import { type Change, UneditableYaml } from "../yaml/splice/change.ts";
import { editYaml } from "../yaml/splice/edit-yaml.ts";
import { isJsonFile, readSource } from "../yaml/read.ts";
import type { DocumentEdit } from "./edit/edit.ts";
import { DOCUMENT_VERSION } from "./shape.ts";

interface DocumentEditRequest {
  readonly file?: string | undefined;
  readonly dryRun: boolean;
  readonly action: string;
  readonly entry?: string | undefined;
  readonly mayCreate: boolean;
  /** Of the content that the caller has read; for a missing file, of no bytes. */
  readonly ifMatch?: string | undefined;
}

export interface DocumentChange {
  readonly planned: PlannedEdit;
  readonly created: boolean;
}

const MAX_TARGET_LENGTH = 200;

/**
 * One locked, atomic and audited transaction. An edit without effect writes nothing, not even a record.
 * @throws {SvcmError} refusals of `decide`; SUITE_FILE_FAILED, EDIT_REFUSED
 */
export async function editDocument(
  ports: Audited & HasFacts & HasFiles,
  caller: Caller,
  request: DocumentEditRequest,
  decide: Decide,
): Promise<DocumentEditResponse> {
  const { file = DEPLOYMENTS_FILE, dryRun } = request;
  const { planned, created } = await changeDocument(ports, caller, request, decide);
  return editResponse({ file, dryRun, created }, planned);
}

export async function changeDocument(
  ports: Audited & HasFacts & HasFiles,
  caller: Caller,
  { file = DEPLOYMENTS_FILE, dryRun, mayCreate, ifMatch, action, entry }: DocumentEditRequest,
  decide: Decide,
): Promise<DocumentChange> {
  const edit = async (attempt?: Attempt): Promise<DocumentChange> => {
    const path = documentPath(ports, file);
    const planText = createPlanner(await vocabularyOf(ports), { file, path }, decide);
    const matches = await tagMatcher(ports, ifMatch);
    const plan = (text: string): PlannedEdit => {
      if (!matches(new TextEncoder().encode(text))) throw changedDocument();
      const planned = planText(text);
      const { target, keys, before } = planned.edit;
      // The audit record of an added or removed entry only needs the name.
      attempt?.note({ ...auditTarget(file, target), ...(before && { keys }) });
      return planned;
    };
    const decode = (bytes: Uint8Array): string => documentText(bytes, path);
    try {
      return await editFile(ports, path, { decode, plan, attempt, mayCreate });
    } catch (error) {
      throw documentFailure(error, path);
    }
  };
  return dryRun ? await edit() : await withAudit(ports, caller, { action, ...auditTarget(file, entry) }, edit);
}

function changedDocument(): SvcmError {
  return new SvcmError("SUITE_FILE_CHANGED", {
    code: "SUITE_FILE_CHANGED",
    details: "The file has changed since it was read. Read it again, then repeat the change.",
  });
}

function auditTarget(file: string, entry = ""): { target?: string } {
  const name = maskCredentials(entry);
  const target = file === DEPLOYMENTS_FILE ? name : `${file}: ${name}`;
  return target === "" ? {} : { target: target.slice(0, MAX_TARGET_LENGTH) };
}

export interface DocumentEditResponse {
  readonly file: string;
  readonly dryRun: boolean;
  readonly changed: boolean;
  readonly created: boolean;
  readonly target: string;
  /** All fields of an added or removed entry. */
  readonly keys: readonly string[];
  readonly entry?: Readonly<Record<string, unknown>> | undefined;
  readonly previous?: Readonly<Record<string, unknown>> | undefined;
  readonly defaults: readonly string[];
  readonly changes: readonly LineChange[];
  readonly issues: readonly Issue[];
}

export function editResponse(
  { file, dryRun, created }: Pick<DocumentEditResponse, "file" | "dryRun" | "created">,
  { edit, before, text, changes }: PlannedEdit,
): DocumentEditResponse {
  return {
    file,
    dryRun,
    changed: changes.length > 0,
    created,
    target: edit.target,
    keys: edit.keys,
    entry: edit.entry && maskMembers(edit.entry),
    previous: edit.before && maskMembers(edit.before),
    defaults: edit.defaults ?? [],
    changes: maskChanges(before.split(/\r?\n/), text.split(/\r?\n/), changes),
    issues: edit.issues ?? [],
  };
}

/** The lines of a change are read in the text to which they belong, because a line may continue a secret. */
function maskChanges(
  before: readonly string[],
  after: readonly string[],
  changes: readonly LineChange[],
): LineChange[] {
  let shift = 0;
  return changes.map((change) => {
    const [oldIndex, newIndex] = [change.line - 1, change.line - 1 + shift];
    shift += change.after.length - change.before.length;
    return {
      line: change.line,
      before: change.before.map((_line, index) => maskLine(before, oldIndex + index)),
      after: change.after.map((_line, index) => maskLine(after, newIndex + index)),
    };
  });
}

export type Decide = (document: unknown, vocabulary: Vocabulary) => DocumentEdit;

interface PlannedEdit {
  readonly text: string;
  readonly before: string;
  readonly edit: DocumentEdit;
  readonly changes: readonly LineChange[];
}

/**
 * @throws {SvcmError} from the plan: INVALID_PAYLOAD for invalid YAML, EDIT_REFUSED if the edit would change other
 * lines, refusals of `decide`
 */
function createPlanner(
  vocabulary: Vocabulary,
  { file, path }: { readonly file: string; readonly path: string },
  decide: Decide,
): (text: string) => PlannedEdit {
  return (text) => {
    const value = editableValue(readSource(text, file));
    const edit = decide(value, vocabulary);
    const isNew = value === undefined || Object.keys(value as object).length === 0;
    const addsVersion = isNew && edit.changes.length > 0 && !edit.changes.some(({ kind }) => kind === "prepend");
    const version: Change = { kind: "prepend", path: ["version"], value: DOCUMENT_VERSION };
    try {
      const edited = editYaml({ text, value, isJson: isJsonFile(file) }, [
        ...(addsVersion ? [version] : []),
        ...edit.changes,
      ]);
      return { text: edited.text, before: text, edit, changes: edited.changes };
    } catch (error) {
      throw error instanceof UneditableYaml ? uneditableRefusal(error, file, path) : error;
    }
  };
}

function editableValue({ value, issues }: YamlSource): unknown {
  if (value === null || issues.some(({ code }) => code === "YAML_EMPTY")) return undefined;
  if (!isValid(issues)) throw refusal("INVALID_PAYLOAD", issues);
  return value;
}

function uneditableRefusal({ message }: Error, file: string, path: string): SvcmError {
  return new SvcmError("EDIT_REFUSED", {
    code: "SUITE_FILE_UNEDITABLE",
    path,
    details: `svcm cannot make this edit in ${file} by changing its own lines only: ${message}.`,
    hint: "change it by hand, then run svcm validate",
  });
}
