import type { HasFiles } from "../files/ports.ts";
import type { HasWorkspace } from "../project/port-repository.ts";
import { refusal, SvcmError } from "../api/errors.ts";
import { documentFailure, documentText } from "../deployments/file.ts";
import { PROJECT_FILE, type Project } from "../project/project.ts";
import { parseYaml } from "../yaml/parse.ts";
import { type Change, UneditableYaml } from "../yaml/splice/change.ts";
import { editYaml } from "../yaml/splice/edit-yaml.ts";
import { readProject } from "../project/read.ts";

export interface ProjectEdit {
  /** As it will be. */
  readonly project: Project;
  /** @param begin called before the first byte is written @throws {FileError} */
  write(begin: () => Promise<void>): Promise<void>;
}

/** Changes only its own lines. @throws {SvcmError} INVALID_PAYLOAD if the result is invalid, SUITE_FILE_FAILED, EDIT_REFUSED */
export async function planProjectEdit(
  { files, workspace }: HasFiles & HasWorkspace,
  changes: readonly Change[],
): Promise<ProjectEdit> {
  const path = `${workspace.root}/${PROJECT_FILE}`;
  const edit = (text: string): string => {
    try {
      return editYaml({ text, value: parseYaml(text, PROJECT_FILE).value, isJson: false }, changes).text;
    } catch (error) {
      if (!(error instanceof UneditableYaml)) throw error;
      throw new SvcmError("EDIT_REFUSED", { code: "SUITE_FILE_UNEDITABLE", path, details: error.message });
    }
  };
  try {
    const next = edit(documentText(await files.read(path), path));
    const { value, issues } = readProject(next, PROJECT_FILE);
    if (value === undefined) throw refusal("INVALID_PAYLOAD", issues);
    const decide = (current: Uint8Array): Uint8Array => new TextEncoder().encode(edit(documentText(current, path)));
    return { project: value, write: async (begin) => void (await files.replace(path, decide, begin)) };
  } catch (error) {
    throw documentFailure(error, path);
  }
}
