import { quoteValue } from "../../findings/text.ts";
import { acceptedText, type Finding, withAccepted } from "../../findings/rule.ts";
import { type Candidate, foldName, textField, lookup, targetGroup, type Vocabulary } from "../file.ts";
import { targetFields, type Field } from "../fields.ts";
import { missing, notAccepted, type Rule, unknownValue } from "../rule.ts";
import { isRecord } from "../../words/record.ts";

export const targetRequired: Rule = {
  code: "TARGET_FIELD_MISSING",
  severity: "error",
  check: ({ entry, vocabulary }) =>
    targetFields
      // Another rule reports a missing pm2Profile.
      .filter(({ name }) => name !== "pm2Profile" && isMissing(entry[name]))
      .filter(({ required }) => required(entry, vocabulary))
      .map((field) =>
        field.accepted ? missing(field.name, field.accepted(entry, vocabulary)) : missingText(field, entry),
      ),
};

function missingText({ name, dependsOn = "", examples = [] }: Field, entry: Candidate): Finding {
  const why = isMissing(entry[dependsOn]) ? "" : `: ${quoteValue(entry[dependsOn])} needs one`;
  return { path: [name], message: acceptedText(`${name} is missing${why}`, `for example ${examples.join(", ")}`) };
}

/** The shape rule reports a value of another type. */
function isMissing(value: unknown): boolean {
  return value === undefined || value === "";
}

export const targetName: Rule = {
  code: "TARGET_NAME_DUPLICATE",
  severity: "error",
  check({ entry, siblings }) {
    if (!siblings.has(entry, nameKey)) return [];
    return [
      { path: ["name"], message: `name: ${quoteValue(textField(entry, "name"))} is taken by another deploy target` },
    ];
  },
};

function nameKey(target: Candidate): string | undefined {
  return foldName(textField(target, "name")) || undefined;
}

export const targetValues: Rule = {
  code: "TARGET_VALUE_UNKNOWN",
  severity: "error",
  check: ({ entry, vocabulary }) =>
    targetFields.flatMap(({ name, accepted }) =>
      accepted ? unknownValue(entry, name, accepted({}, vocabulary), accepted(entry, vocabulary)) : [],
    ),
};

export const targetServiceType: Rule = {
  code: "TARGET_SERVICE_TYPE_UNSUPPORTED",
  severity: "error",
  check({ entry: { deployTarget, serviceType }, vocabulary }) {
    const group = targetGroup(vocabulary, deployTarget);
    if (!group || lookup(vocabulary.matrix.serviceTypes, serviceType) === undefined) return [];
    if (group.serviceTypes.includes(String(serviceType))) return [];
    return [
      notAccepted(
        "serviceType",
        `${quoteValue(deployTarget)} does not run ${quoteValue(serviceType)}`,
        group.serviceTypes,
      ),
    ];
  },
};

export const targetProtocol: Rule = {
  code: "TARGET_PROTOCOL_NOT_EXPOSED",
  severity: "error",
  check({ entry: { serviceType, runtimeProtocol }, vocabulary: { matrix } }) {
    const type = lookup(matrix.serviceTypes, serviceType);
    if (!type || lookup(matrix.protocols, runtimeProtocol) === undefined) return [];
    if (type.protocols.includes(String(runtimeProtocol))) return [];
    return [
      notAccepted(
        "runtimeProtocol",
        `${quoteValue(serviceType)} does not expose ${quoteValue(runtimeProtocol)}`,
        type.protocols,
      ),
    ];
  },
};

export const targetProfile: Rule = {
  code: "TARGET_PROFILE_MISPLACED",
  severity: "error",
  check({ entry: { deployTarget, pm2Profile }, vocabulary }) {
    const group = targetGroup(vocabulary, deployTarget);
    if (!group || group.pm2Managed === (pm2Profile !== undefined)) return [];
    const path = ["pm2Profile"];
    if (group.pm2Managed) {
      const what = `pm2Profile is missing: ${quoteValue(deployTarget)} is PM2-managed`;
      return [{ path, ...withAccepted(what, vocabulary.matrix.pm2Profiles) }];
    }
    const message = acceptedText(`pm2Profile: ${quoteValue(deployTarget)} is not PM2-managed`, "none");
    return [{ path, message, accepted: [] }];
  },
};

export interface ActivePort {
  readonly name: string;
  readonly declared: unknown;
  /** A numeric string from a form counts as a number. */
  readonly value: number;
}

export function activePorts({ serviceKind, ports }: Candidate, { matrix }: Vocabulary): ActivePort[] {
  if (ports !== undefined && !isRecord(ports)) return [];
  const names = lookup(matrix.serviceKinds, serviceKind)?.ports ?? [];
  return names.map((name) => {
    const declared = ports && Object.hasOwn(ports, name) ? ports[name] : undefined;
    return { name, declared, value: portNumber(declared) };
  });
}

export function portNumber(declared: unknown): number {
  if (typeof declared === "number") return declared;
  return typeof declared === "string" && /^\d{1,5}$/.test(declared) ? Number(declared) : Number.NaN;
}
