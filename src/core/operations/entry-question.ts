import type { Issue } from "../api/issue.ts";
import { defineOperation } from "../operation.ts";
import { SvcmError } from "../errors.ts";
import type { Question } from "../deployments/edit/question.ts";
import { DEPLOYMENTS_FILE, readDocument, vocabularyOf } from "../deployments/file.ts";

export interface EntryQuestion {
  /** The next question; absent if nothing is left to ask. */
  readonly question?: Question;
  /** A field without a default has no answer yet. */
  readonly isIncomplete: boolean;
  /** The issues of the answers so far. */
  readonly issues: readonly Issue[];
}

/** The next question for a new entry, and the issues of the answers so far. */
export const entryQuestion = defineOperation({
  id: "entry.question",
  access: "read",
  refusal: "INVALID_REQUEST",
  async run(ports, { file = DEPLOYMENTS_FILE, section, values }): Promise<EntryQuestion> {
    const [{ readSource }, { answerIssues, openQuestions }, vocabulary] = await Promise.all([
      import("../deployments/read.ts"),
      import("../deployments/edit/question.ts"),
      vocabularyOf(ports),
    ]);
    const { value: document } = await readSource(await textOrNothing(() => readDocument(ports, file)), file);
    const open = openQuestions(section, values, vocabulary);
    const isIncomplete = open.some((one) => !one.isOptional && one.default === undefined);
    return {
      ...(open[0] && { question: open[0] }),
      isIncomplete,
      issues: answerIssues(section, document, values, vocabulary),
    };
  },
});

async function textOrNothing(read: () => Promise<string>): Promise<string> {
  try {
    return await read();
  } catch (error) {
    const isMissing = error instanceof SvcmError && error.body.code === "SUITE_FILE_NOT_FOUND";
    if (isMissing) return "";
    throw error;
  }
}
