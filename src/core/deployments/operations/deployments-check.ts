import { readSource } from "../../yaml/read.ts";
import { subjectsOf, validateSource } from "../validate.ts";
import type { HasFiles } from "../../files/port-files.ts";
import type { HasFacts, HasWorkspace } from "../../project/port-repository.ts";
import type { DeploymentsVerdict } from "../../api/bodies.ts";
import { isValid } from "../../api/issue.ts";
import { defineOperation } from "../../access/operation.ts";
import type { Report } from "../../findings/report.ts";
import { maskDocument } from "../mask.ts";
import { DEPLOYMENTS_FILE, readDocument, documentText, vocabularyOf } from "../file.ts";

export interface DeploymentsCheckResponse extends Omit<DeploymentsVerdict, "document"> {
  /** The name that the caller gave, relative to the repository root. */
  readonly file: string;
}

export interface DeploymentsCheck {
  readonly response: DeploymentsCheckResponse;
  readonly report: Report;
  /** The document with masked credentials; `undefined` if it cannot be read. */
  readonly maskedDocument: () => unknown;
}

export const deploymentsCheck = defineOperation({
  id: "deployments.check",
  access: "read",
  refusal: "INVALID_REQUEST",
  async run(
    ports: HasFacts & HasFiles & HasWorkspace,
    { file = DEPLOYMENTS_FILE, section, content },
  ): Promise<DeploymentsCheck> {
    const vocabulary = await vocabularyOf(ports);
    const text = content === undefined ? await readDocument(ports, file) : documentText(content, file);
    const source = readSource(text, file);
    const all = validateSource(source, vocabulary);
    // An issue without a path concerns every section.
    const issues = section === undefined ? all : all.filter(({ path }) => path.length === 0 || path[0] === section);
    const report = { file, text, issues, subjects: subjectsOf(source.value) };
    return {
      response: { file, valid: isValid(issues), issues },
      report,
      maskedDocument: () => maskDocument(source.value, vocabulary),
    };
  },
});
