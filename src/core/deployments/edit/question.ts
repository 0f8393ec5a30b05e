import { targetDefaults } from "../migrate.ts";
import type { Issue } from "../../api/issue.ts";
import { interfaceFields, targetFields } from "../fields.ts";
import { decidersFirst } from "../field.ts";
import type { Field } from "../field.ts";
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
  const fields: readonly Field[] = decidersFirst<Field>(section === "deployments" ? targetFields : interfaceFields);
  return fields
    .filter(({ name }) => !Object.hasOwn(answers, name))
    .map((field): Question => {
      const { name, label, required } = field;
      const [accepted, usual] = [field.accepted?.(answers, vocabulary), defaults[name]];
      return {
        field: name,
        label,
        accepted,
        default: usual,
        isOptional: !required(answers, vocabulary),
      };
    })
    .filter(({ accepted }) => accepted?.length !== 0);
}

export function answerIssues(
  section: ListSection,
  document: unknown,
  answers: Answers,
  vocabulary: Vocabulary,
): Issue[] {
  const others = entriesOf(document, section).map(({ entry }) => entry);
  const given = Object.fromEntries(Object.entries(answers).filter(([, value]) => value !== ""));
  return entryIssues(section, given, others, vocabulary).filter(({ path }) => Object.hasOwn(given, String(path[0])));
}
