import { targetFields } from "../fields.ts";
import { type Rule, unknownValue } from "../rule.ts";

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
