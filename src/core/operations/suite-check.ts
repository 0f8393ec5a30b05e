import type { SuiteVerdict } from "../api/bodies.ts";
import { isValid } from "../api/issue.ts";
import { defineOperation } from "../operation.ts";
import type { Report } from "../findings/report.ts";
import { shownSuite } from "../deployments/shown.ts";
import { DEFAULT_SUITE_FILE, readSuite, suiteText, vocabularyOf } from "../deployments/file.ts";

export interface SuiteCheckResponse extends Omit<SuiteVerdict, "document"> {
  /** As it was asked for, relative to the repository root. */
  readonly file: string;
}

export interface SuiteCheck {
  readonly response: SuiteCheckResponse;
  /** The same for people and other tools: with the source that the positions are of. */
  readonly report: Report;
  /** The document as it may be shown; `undefined` if it cannot be read. */
  readonly shown: () => unknown;
}

/** Validates the suite document of the repository, or one section of it, every issue with its place. */
export const suiteCheck = defineOperation({
  id: "suite.check",
  access: "read",
  refusal: "INVALID_REQUEST",
  async run(ports, { file = DEFAULT_SUITE_FILE, section, content }): Promise<SuiteCheck> {
    const vocabulary = await vocabularyOf(ports);
    const text = content === undefined ? await readSuite(ports, file) : suiteText(content, file);
    const [{ readSource }, { subjectsOf, validateSource }] = await Promise.all([
      import("../deployments/read.ts"),
      import("../deployments/validate.ts"),
    ]);
    const source = await readSource(text, file);
    const all = validateSource(source, vocabulary);
    // What makes the whole unreadable concerns every section.
    const issues = section === undefined ? all : all.filter(({ path }) => path.length === 0 || path[0] === section);
    const report = { file, text, issues, subjects: subjectsOf(source.value) };
    return {
      response: { file, valid: isValid(issues), issues },
      report,
      shown: () => shownSuite(source.value, vocabulary),
    };
  },
});
