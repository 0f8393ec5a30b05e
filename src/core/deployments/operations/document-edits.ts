/** The operations that change deployments.yaml. */

import type { HasFiles } from "../../files/ports.ts";
import type { HasFacts, HasWorkspace } from "../../project/port-repository.ts";
import type { Audited } from "../../access/ports.ts";
import type { InputOf } from "../../api/inputs.ts";
import { editDocument, type DocumentEditResponse, type Decide } from "../edit-file.ts";
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
import { defineOperation } from "../../access/operation.ts";
import { readSource } from "../../yaml/read.ts";
import type { Issue } from "../../api/issue.ts";
import { DEPLOYMENTS_FILE, readDocumentIfExists, vocabularyOf } from "../file.ts";

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
