import { targetDefaults } from "../migrate.ts";
import type { Issue } from "../../api/issue.ts";
import { interfaceFields, targetFields } from "../fields.ts";
import { sortByDependency, type Field } from "../field.ts";
import { entryIssues } from "../validate.ts";
import { entriesOf } from "./edit.ts";
import type { ListSection } from "../shape.ts";
import type { Vocabulary } from "../vocabulary.ts";

export interface Question {
  readonly field: string;
  readonly label: string;
  readonly accepted?: readonly string[] | undefined;
  readonly default?: string | undefined;
  readonly isOptional: boolean;
}

type Answers = Readonly<Record<string, string>>;

export function openQuestions(section: ListSection, answers: Answers, vocabulary: Vocabulary): Question[] {
  const defaults = section === "deployments" ? targetDefaults(answers, vocabulary) : {};
  const fields: readonly Field[] = sortByDependency<Field>(section === "deployments" ? targetFields : interfaceFields);
  return fields
    .filter(({ name }) => !Object.hasOwn(answers, name))
    .map(({ name, label, accepted, required }): Question => ({
      field: name,
      label,
      accepted: accepted?.(answers, vocabulary),
      default: defaults[name],
      isOptional: !required(answers, vocabulary),
    }))
    .filter(({ accepted }) => accepted?.length !== 0);
}

export function answerIssues(
  section: ListSection,
  document: unknown,
  answers: Answers,
  vocabulary: Vocabulary,
): Issue[] {
  const others = entriesOf(document, section).map(({ entry }) => entry);
  const answered = Object.fromEntries(Object.entries(answers).filter(([, value]) => value !== ""));
  return entryIssues(section, answered, others, vocabulary).filter(({ path }) =>
    Object.hasOwn(answered, String(path[0])),
  );
}
