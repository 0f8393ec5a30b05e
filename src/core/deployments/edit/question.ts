/** What is still to be asked of somebody who adds an entry, one question after the other. */
import { targetDefaults } from "../migrate.ts";
import type { Issue } from "../../api/issue.ts";
import type { Candidate } from "../candidate.ts";
import { deployTargetIssues, interfaceIssues } from "../validate.ts";
import { entriesOf } from "./edit.ts";
import type { ListSection } from "../shape.ts";
import { entryOf, frameworksOf, groupOf, valuesOf, type Vocabulary } from "../vocabulary.ts";

export interface Question {
  readonly field: string;
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
  const questions =
    section === "deployments" ? targetQuestions(answers, vocabulary) : interfaceQuestions(answers, vocabulary);
  return questions.filter(({ field }) => !Object.hasOwn(answers, field));
}

/** What the gate says of the answers so far; what was not asked yet is not missing. */
export function answerIssues(section: ListSection, suite: unknown, answers: Answers, vocabulary: Vocabulary): Issue[] {
  const others = entriesOf(suite, section).map(({ entry }) => entry);
  const gate = section === "deployments" ? deployTargetIssues : interfaceIssues;
  const given = Object.fromEntries(Object.entries(answers).filter(([, value]) => value !== ""));
  return gate(given, others, vocabulary).filter(({ path }) => Object.hasOwn(given, String(path[0])));
}

/** Every accepted value of each field that has a vocabulary, whatever the others say. */
export function fieldValues({ matrix, ...rest }: Vocabulary): Readonly<Record<string, readonly string[]>> {
  const vocabulary = { matrix, ...rest };
  return {
    deployTarget: Object.keys(matrix.deployTargets),
    serviceType: Object.keys(matrix.serviceTypes),
    runtimeProtocol: Object.keys(matrix.protocols),
    databaseDriver: valuesOf(vocabulary, matrix.drivers.database),
    keyValueDriver: valuesOf(vocabulary, matrix.drivers.keyValue),
    pm2Profile: matrix.pm2Profiles,
    type: Object.keys(matrix.interfaceTypes),
    framework: frameworksOf(vocabulary),
    serviceKind: Object.keys(matrix.serviceKinds),
    runMode: Object.keys(matrix.runModes),
    cloudProvider: Object.keys(matrix.cloudProviders),
  };
}

function targetQuestions(answers: Answers, vocabulary: Vocabulary): Question[] {
  const { matrix } = vocabulary;
  const target = entryOf(matrix.deployTargets, answers["deployTarget"]) ?? matrix.unknownDeployTarget;
  const group = groupOf(vocabulary, answers["deployTarget"]);
  const accepted: Record<string, readonly string[]> = {
    ...fieldValues(vocabulary),
    ...(group && { serviceType: group.serviceTypes }),
    runtimeProtocol: entryOf(matrix.serviceTypes, answers["serviceType"])?.protocols ?? Object.keys(matrix.protocols),
  };
  const defaults: Candidate = targetDefaults(answers, vocabulary);
  const fields = [
    "name",
    "deployTarget",
    "region",
    "runtime",
    "serviceType",
    "runtimeProtocol",
    "databaseDriver",
    "keyValueDriver",
  ];
  const asked = [...fields, ...(group?.pm2Managed ? ["pm2Profile"] : [])];
  return asked
    .filter((field) => accepted[field]?.length !== 0)
    .map((field) => ({
      field,
      ...(accepted[field] && { accepted: accepted[field] }),
      ...(typeof defaults[field] === "string" && { default: defaults[field] }),
      isOptional: field === "region" && !target.regionRequired,
    }));
}

function interfaceQuestions(answers: Answers, vocabulary: Vocabulary): Question[] {
  const type = entryOf(vocabulary.matrix.interfaceTypes, answers["type"]);
  const frameworks = valuesOf(vocabulary, type?.frameworks);
  return [
    { field: "type", accepted: Object.keys(vocabulary.matrix.interfaceTypes), isOptional: false },
    ...(type && frameworks.length === 0
      ? []
      : [{ field: "framework", ...(type && { accepted: frameworks }), isOptional: false }]),
    { field: "entrypoint", isOptional: false },
    { field: "controller", isOptional: false },
  ];
}
