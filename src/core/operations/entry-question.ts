import type { Issue } from "../api/issue.ts";
import { defineOperation } from "../operation.ts";
import type { Question } from "../deployments/edit/question.ts";
import { DEPLOYMENTS_FILE, readDocumentIfExists, vocabularyOf } from "../deployments/file.ts";

export interface EntryQuestion {
  readonly question?: Question | undefined;
  readonly isIncomplete: boolean;
  readonly issues: readonly Issue[];
}

export const entryQuestion = defineOperation({
  id: "entry.question",
  access: "read",
  refusal: "INVALID_REQUEST",
  async run(ports, { file = DEPLOYMENTS_FILE, section, values }): Promise<EntryQuestion> {
    const [{ readSource }, { answerIssues, openQuestions }, vocabulary] = await Promise.all([
      import("../yaml/read.ts"),
      import("../deployments/edit/question.ts"),
      vocabularyOf(ports),
    ]);
    const { value: document } = readSource((await readDocumentIfExists(ports, file)) ?? "", file);
    const open = openQuestions(section, values, vocabulary);
    const isIncomplete = open.some((one) => !one.isOptional && one.default === undefined);
    return {
      question: open[0],
      isIncomplete,
      issues: answerIssues(section, document, values, vocabulary),
    };
  },
});
