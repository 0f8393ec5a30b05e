import type { Issue } from "../api/issue.ts";
import { defineOperation } from "../operation.ts";
import { SvcmError } from "../errors.ts";
import type { Question } from "../deployments/edit/question.ts";
import { DEPLOYMENTS_FILE, readDocument, vocabularyOf } from "../deployments/file.ts";

export interface EntryQuestion {
  /** Absent after the last question. */
  readonly question?: Question;
  readonly isIncomplete: boolean;
  readonly issues: readonly Issue[];
}

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
