/** What is still to be asked of somebody who adds an entry, one question after the other. */
import { targetDefaults } from "../migrate.ts";
import type { Issue } from "../../api/issue.ts";
import { interfaceFields, targetFields } from "../fields.ts";
import { decidersFirst } from "../field.ts";
import type { Field } from "../field.ts";
import { deployTargetIssues, interfaceIssues } from "../validate.ts";
import { entriesOf } from "./edit.ts";
import type { ListSection } from "../shape.ts";
import type { Vocabulary } from "../vocabulary.ts";

export interface Question {
  readonly field: string;
  /** The field for people. */
  readonly label: string;
  /** What the matrix accepts after the answers so far; absent where any text may stand. */
  readonly accepted?: readonly string[];
  /** What an empty answer means. */
  readonly default?: string;
  /** Whether an empty answer leaves the field out. */
  readonly isOptional: boolean;
}

type Answers = Readonly<Record<string, string>>;

/** The questions that the given answers leave open; an empty answer leaves a field out. */
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
        ...(accepted && { accepted }),
        ...(usual !== undefined && { default: usual }),
        isOptional: !required(answers, vocabulary),
      };
    })
    .filter(({ accepted }) => accepted?.length !== 0);
}

/** What the gate says of the answers so far; what was not asked yet is not missing. */
export function answerIssues(
  section: ListSection,
  document: unknown,
  answers: Answers,
  vocabulary: Vocabulary,
): Issue[] {
  const others = entriesOf(document, section).map(({ entry }) => entry);
  const gate = section === "deployments" ? deployTargetIssues : interfaceIssues;
  const given = Object.fromEntries(Object.entries(answers).filter(([, value]) => value !== ""));
  return gate(given, others, vocabulary).filter(({ path }) => Object.hasOwn(given, String(path[0])));
}
