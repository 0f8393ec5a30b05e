import { quoteValue } from "../../findings/quote-value.ts";
import { acceptedText, type Finding, withAccepted } from "../../findings/rule.ts";
import { type Candidate, foldName, textField } from "../candidate.ts";
import { targetFields } from "../fields.ts";
import type { Field } from "../field.ts";
import { missing, notAccepted, type Rule, unknownValue } from "../rule.ts";
import { lookup, targetGroup } from "../vocabulary.ts";

export const targetRequired: Rule = {
  code: "TARGET_FIELD_MISSING",
  severity: "error",
  summary: "A deploy target lacks a field.",
  explanation:
    "name, runtime, serviceType, deployTarget, runtimeProtocol and both drivers are required. region is required for every target that is not self-hosted.",
  remedy: "Add the field that the message names, for example `svcm targets edit <name> --region eu-central-1`.",
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
  summary: "Two deploy targets have the same name.",
  explanation: "Names are case-insensitive. An edited entry may keep its own name.",
  remedy: "Rename one of them: `svcm targets edit <name> --name <new name>`.",
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
  summary: "A deploy target names a value outside its vocabulary.",
  explanation:
    "deployTarget, serviceType, runtimeProtocol, databaseDriver, keyValueDriver and pm2Profile are vocabularies: the first three and the last of the capability matrix, the drivers of the runtime contract.",
  remedy:
    "Write one of the values that the message lists, for example with `svcm targets edit <name> --deploy-target lambda`.",
  check: ({ entry, vocabulary }) =>
    targetFields.flatMap(({ name, accepted }) =>
      accepted ? unknownValue(entry, name, accepted({}, vocabulary), accepted(entry, vocabulary)) : [],
    ),
};

export const targetServiceType: Rule = {
  code: "TARGET_SERVICE_TYPE_UNSUPPORTED",
  severity: "error",
  summary: "The deploy target does not run services of this type.",
  explanation:
    "PM2-managed targets run REST and realtime services, functions targets run functions only. The capability matrix lists what each target runs.",
  remedy: "Choose a service type that the message lists, or another deploy target: `svcm matrix show` has both.",
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
  summary: "The service type does not expose the runtime protocol.",
  explanation: "restapi and functions serve HTTP, websocket+restapi adds WebSocket, grpc+restapi adds gRPC.",
  remedy: "Choose a protocol that the message lists, or another service type: `svcm matrix show` has both.",
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
  summary: "pm2Profile is set on a target that cannot have one, or missing on one that needs it.",
  explanation:
    "PM2-managed targets require a pm2Profile. Other targets refuse it, because the provider manages functions itself. An empty pm2Profile counts as absent.",
  remedy:
    "Set `--pm2-profile` on a PM2-managed target; remove the field from any other with `svcm targets edit <name> --clear pm2Profile`.",
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
