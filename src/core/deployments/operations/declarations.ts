import { readSource } from "../../yaml/read.ts";
import { validateSource } from "../validate.ts";
import { maskDocument, maskChange } from "./deployments.ts";
import { applyDraft, renderPatch } from "../edit/draft.ts";
import { refuseIssues } from "../edit/edit.ts";
import { diffDeployments } from "../diff/diff.ts";
import { fieldText, groupBySection, subjectText } from "../diff/report/words.ts";
import type { HasRevisions, HasFiles } from "../../files/ports.ts";
import type { HasFacts, HasWorkspace } from "../../project/port-repository.ts";
import type { Audited } from "../../access/ports.ts";
import type { DeclarationsPlanResponse, DeclarationsResponse } from "../../api/declarations.ts";
import { changeDocument, editDocument, type DocumentEditResponse, type Decide } from "../edit-file.ts";
import { defineOperation, type Caller } from "../../access/operation.ts";
import type { TaggedResponse } from "../../env/operations/env-read.ts";
import { DEPLOYMENTS_FILE, documentPath, readDocumentIfExists, vocabularyOf, type Candidate } from "../file.ts";
import { type Issue, isValid } from "../../api/issue.ts";
import { showsSecret } from "../../secrets/source-lines.ts";
import { isRecord } from "../../words/record.ts";
import type { InputOf } from "../../api/inputs.ts";
import { setConfiguration, answerIssues, openQuestions, type Question } from "../edit/configuration.ts";
import {
  addEntry,
  editEntry,
  removeEntry,
  interfaceKind,
  migrateDocument,
  duplicateTarget,
  targetKind,
} from "../edit/entry.ts";

/** Reads the document of the repository and validates it. Credentials are masked. */
export const declarationsRead = defineOperation({
  id: "declarations.read",
  access: "read",
  refusal: "INVALID_REQUEST",
  async run(ports: HasFacts & HasFiles & HasRevisions & HasWorkspace): Promise<TaggedResponse<DeclarationsResponse>> {
    return await toDeclarations(ports, await readDocumentIfExists(ports, DEPLOYMENTS_FILE));
  },
});

/** @param text `undefined` if the file does not exist */
async function toDeclarations(
  ports: HasFacts & HasRevisions & HasWorkspace,
  text: string | undefined,
): Promise<TaggedResponse<DeclarationsResponse>> {
  const vocabulary = await vocabularyOf(ports);
  const path = documentPath(ports, DEPLOYMENTS_FILE);
  const source = readSource(text ?? "", DEPLOYMENTS_FILE);
  const issues = text === undefined ? [] : hideColumns(text, validateSource(source, vocabulary));
  const document = maskDocument(source.value, vocabulary);
  return {
    response: {
      file: DEPLOYMENTS_FILE,
      path,
      exists: text !== undefined,
      valid: isValid(issues),
      issues,
      ...(isRecord(document) && { document }),
      ...(await readRevision(ports, path)),
    },
    bytes: new TextEncoder().encode(text ?? ""),
  };
}

/** A column behind a secret would show its length. */
function hideColumns(text: string, issues: readonly Issue[]): Issue[] {
  const lines = text.split("\n");
  return issues.map((issue) => {
    const { at } = issue;
    return at !== undefined && showsSecret(lines, at.line - 1) ? { ...issue, at: { ...at, column: 1 } } : issue;
  });
}

async function readRevision(
  { revisions }: HasRevisions,
  path: string,
): Promise<Pick<DeclarationsResponse, "revision">> {
  const state = await revisions.readState(() => Promise.resolve([path]));
  if (state === undefined) return {};
  const isTracked = (await revisions.listTracked([DEPLOYMENTS_FILE])).length > 0;
  return { revision: { commit: state.commit, isChanged: !isTracked || state.dirty.includes(path) } };
}

/** Describes how a draft changes the document of the repository, in words and as a patch. Writes nothing. */
export const declarationsPlan = defineOperation({
  id: "declarations.plan",
  access: "read",
  refusal: "INVALID_PAYLOAD",
  async run(
    ports: Audited & HasFacts & HasFiles,
    { document: draft, from },
    caller,
  ): Promise<DeclarationsPlanResponse> {
    if (from !== undefined) return { differences: await describeDifferences(ports, from, draft), issues: [] };
    return await planDraft(ports, draft, caller);
  },
});

async function planDraft(
  ports: Audited & HasFacts & HasFiles,
  draft: Candidate,
  caller: Caller,
): Promise<DeclarationsPlanResponse> {
  let issues: readonly Issue[] = [];
  const options = { dryRun: true, action: "suite.write", mayCreate: true };
  const { planned: plan, created } = await changeDocument(ports, caller, options, (document, vocabulary) => {
    const { edit, newErrors } = applyDraft(document, draft, vocabulary);
    issues = newErrors;
    return edit;
  });
  const { before, text: after, changes } = plan;
  const current = maskDocument(readSource(before, DEPLOYMENTS_FILE).value, await vocabularyOf(ports));
  const patch = renderPatch({ file: DEPLOYMENTS_FILE, before: created ? undefined : before, after, changes });
  return {
    differences: await describeDifferences(ports, isRecord(current) ? current : {}, draft),
    issues: [...issues],
    ...(patch !== undefined && { patch }),
  };
}

function plain(text: string): string {
  return text;
}

async function describeDifferences(
  ports: HasFacts,
  from: Candidate,
  to: Candidate,
): Promise<DeclarationsPlanResponse["differences"]> {
  const { changes } = diffDeployments(from, to, await vocabularyOf(ports));
  return groupBySection(changes.map(maskChange)).flatMap(({ title, changes: sectionChanges }) =>
    sectionChanges.map((change) => ({
      section: title,
      subject: subjectText(change, plain),
      fields: change.fields.map((field) => fieldText(field, change.kind, plain, "→")),
    })),
  );
}

/** Changes the lines of the document that differ from the draft, atomically and audited, or changes nothing. */
export const declarationsWrite = defineOperation({
  id: "declarations.write",
  access: "write",
  refusal: "INVALID_PAYLOAD",
  async run(
    ports: Audited & HasFacts & HasFiles & HasRevisions,
    { document: draft, ifMatch },
    caller,
  ): Promise<TaggedResponse<DeclarationsResponse>> {
    const options = { dryRun: false, action: "suite.write", mayCreate: true, ifMatch };
    const { planned } = await changeDocument(ports, caller, options, (document, vocabulary) => {
      const { edit, newErrors } = applyDraft(document, draft, vocabulary);
      refuseIssues(newErrors, []);
      return edit;
    });
    return await toDeclarations(ports, planned.text);
  },
});

/** The operations that change deployments.yaml. */

interface Edit {
  readonly decide: Decide;
  /** The name of the entry as the caller gave it. */
  readonly entry?: string | undefined;
  readonly mayCreate?: boolean;
  /** The name of the action in the audit log. */
  readonly action?: string;
}

type EditId =
  | "configuration.set"
  | "deployments.migrate"
  | `${"interface" | "target"}.${"add" | "edit" | "remove"}`
  | "target.duplicate";

function documentEdit<Id extends EditId>(id: Id, edit: (input: InputOf<Id>) => Edit) {
  return defineOperation({
    id,
    access: "write",
    refusal: "INVALID_PAYLOAD",
    run(ports: Audited & HasFacts & HasFiles, input: InputOf<Id>, caller): Promise<DocumentEditResponse> {
      const { file, dryRun } = input;
      const { decide, entry, mayCreate = false, action = `suite.${id}` } = edit(input);
      return editDocument(ports, caller, { file, dryRun, action, entry, mayCreate }, decide);
    },
  });
}

/** Refuses an invalid value and never coerces it. */
export const configurationSet = documentEdit("configuration.set", ({ values, clear }) => ({
  mayCreate: true,
  decide: (document, vocabulary) => setConfiguration(document, { values, clear }, vocabulary),
}));

/** @see the specification, "Versioning" 2 */
export const deploymentsMigrate = documentEdit("deployments.migrate", () => ({
  action: "suite.migrate",
  decide: migrateDocument,
}));

export const interfaceAdd = documentEdit("interface.add", ({ values }) => ({
  entry: values["controller"],
  mayCreate: true,
  decide: (document, vocabulary) => addEntry(interfaceKind, document, values, vocabulary),
}));

export const interfaceEdit = documentEdit("interface.edit", ({ which, values }) => ({
  entry: which,
  decide: (document, vocabulary) => editEntry(interfaceKind, document, { query: which, values, clear: [] }, vocabulary),
}));

export const interfaceRemove = documentEdit("interface.remove", ({ which }) => ({
  entry: which,
  decide: (document) => removeEntry(interfaceKind, document, which),
}));

/** @see the specification, "Deploy target list behaviour" */
export const targetAdd = documentEdit("target.add", ({ values }) => ({
  entry: values["name"],
  mayCreate: true,
  decide: (document, vocabulary) => addEntry(targetKind, document, values, vocabulary),
}));

/** The target may keep its name. */
export const targetEdit = documentEdit("target.edit", ({ name, values, clear }) => ({
  entry: name,
  decide: (document, vocabulary) => editEntry(targetKind, document, { query: name, values, clear }, vocabulary),
}));

export const targetRemove = documentEdit("target.remove", ({ name }) => ({
  entry: name,
  decide: (document) => removeEntry(targetKind, document, name),
}));

export const targetDuplicate = documentEdit("target.duplicate", ({ name, as }) => ({
  entry: name,
  decide: (document, vocabulary) => duplicateTarget(document, { name, as }, vocabulary),
}));

export interface EntryQuestion {
  readonly question?: Question | undefined;
  readonly isIncomplete: boolean;
  readonly issues: readonly Issue[];
}

export const entryQuestion = defineOperation({
  id: "entry.question",
  access: "read",
  refusal: "INVALID_REQUEST",
  async run(
    ports: HasFacts & HasFiles & HasWorkspace,
    { file = DEPLOYMENTS_FILE, section, values },
  ): Promise<EntryQuestion> {
    const vocabulary = await vocabularyOf(ports);
    const { value: document } = readSource((await readDocumentIfExists(ports, file)) ?? "", file);
    const open = openQuestions(section, values, vocabulary);
    const isIncomplete = open.some((question) => !question.isOptional && question.default === undefined);
    return {
      question: open[0],
      isIncomplete,
      issues: answerIssues(section, document, values, vocabulary),
    };
  },
});
