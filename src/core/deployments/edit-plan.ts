import { isValid } from "../api/issue.ts";
import { refusal, SvcmError } from "../api/errors.ts";
import type { LineChange } from "../words/line-change.ts";
import type { YamlSource } from "../yaml/source.ts";
import { type Change, UneditableYaml } from "../yaml/splice/change.ts";
import { editYaml } from "../yaml/splice/edit-yaml.ts";
import { isJsonFile, readSource } from "../yaml/read.ts";
import type { DocumentEdit } from "./edit/edit.ts";
import { DOCUMENT_VERSION } from "./shape.ts";
import type { Vocabulary } from "./vocabulary.ts";

export type Decide = (document: unknown, vocabulary: Vocabulary) => DocumentEdit;

export interface PlannedEdit {
  readonly text: string;
  readonly before: string;
  readonly edit: DocumentEdit;
  readonly changes: readonly LineChange[];
}

/**
 * @throws {SvcmError} from the plan: INVALID_PAYLOAD for invalid YAML, SUITE_FILE_FAILED if the edit would change other
 * lines, refusals of `decide`
 */
export function createPlanner(
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
  return new SvcmError("SUITE_FILE_FAILED", {
    code: "SUITE_FILE_UNEDITABLE",
    path,
    details: `svcm cannot make this edit in ${file} by changing its own lines only: ${message}.`,
    hint: "change it by hand, then run svcm validate",
  });
}
