import { acceptedText } from "../../findings/rule.ts";
import type { Candidate } from "../candidate.ts";
import { missing, type Rule, show } from "../rule.ts";
import { RUNTIME_EXAMPLES } from "./target-runtime.ts";
import { entryOf, valuesOf, type Vocabulary } from "../vocabulary.ts";

const FIELDS = [
  "name",
  "runtime",
  "serviceType",
  "deployTarget",
  "runtimeProtocol",
  "databaseDriver",
  "keyValueDriver",
];

/** The fields of every deploy target. A driver is one only if the repository declares some. */
export function targetFields(vocabulary: Vocabulary): readonly string[] {
  return FIELDS.filter((field) => acceptedIn(field, vocabulary)?.length !== 0);
}

/** Deploy target (e): what has to be there. */
export const targetRequired: Rule = {
  code: "TARGET_FIELD_MISSING",
  severity: "error",
  summary: "A deploy target lacks a field.",
  explanation:
    "name, runtime, serviceType, deployTarget, runtimeProtocol and both drivers are required. region is required for every target that is not self-hosted.",
  remedy: "Add the field that the message names, for example `svcm targets edit <name> --region eu-central-1`.",
  check({ entry, vocabulary }) {
    const { matrix } = vocabulary;
    const target = entryOf(matrix.deployTargets, entry["deployTarget"]);
    const { regionRequired } = target ?? matrix.unknownDeployTarget;
    const required = targetFields(vocabulary);
    const fields = regionRequired ? [...required, "region"] : required;
    return fields
      .filter((field) => isMissing(entry[field]))
      .map((field) => {
        const accepted = acceptedIn(field, vocabulary);
        return accepted === undefined
          ? { path: [field], message: missingText(field, entry) }
          : missing(field, accepted);
      });
  },
};

const EXAMPLES: Readonly<Record<string, string>> = {
  name: "production",
  region: "eu-central-1",
  runtime: RUNTIME_EXAMPLES.join(", "),
};

function missingText(field: string, { deployTarget }: Candidate): string {
  const why = field === "region" && !isMissing(deployTarget) ? `: ${show(deployTarget)} needs one` : "";
  return acceptedText(`${field} is missing${why}`, `for example ${EXAMPLES[field]}`);
}

/** A value of another kind is a finding of the shape. */
export function isMissing(value: unknown): boolean {
  return value === undefined || value === "";
}

/** The vocabulary of a field that has one. */
function acceptedIn(field: string, vocabulary: Vocabulary): readonly string[] | undefined {
  const { matrix } = vocabulary;
  const vocabularies: Readonly<Record<string, readonly string[]>> = {
    serviceType: Object.keys(matrix.serviceTypes),
    deployTarget: Object.keys(matrix.deployTargets),
    runtimeProtocol: Object.keys(matrix.protocols),
    databaseDriver: valuesOf(vocabulary, matrix.drivers.database),
    keyValueDriver: valuesOf(vocabulary, matrix.drivers.keyValue),
  };
  return vocabularies[field];
}
