import { readSource } from "../../yaml/read.ts";
import type { HasFiles } from "../../files/port-files.ts";
import type { HasFacts, HasWorkspace } from "../../project/port-repository.ts";
import type { Issue } from "../../api/issue.ts";
import { defineOperation } from "../../access/operation.ts";
import { answerIssues, openQuestions, type Question } from "../edit/question.ts";
import { DEPLOYMENTS_FILE, readDocumentIfExists, vocabularyOf } from "../file.ts";

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
