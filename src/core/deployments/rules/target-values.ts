import { type Rule, unknownName, unknownValue } from "../rule.ts";
import { valuesOf } from "../vocabulary.ts";

/** Deploy target (a). */
export const targetValues: Rule = {
  code: "TARGET_VALUE_UNKNOWN",
  summary: "A deploy target names a value outside its vocabulary.",
  explanation:
    "deployTarget, serviceType, runtimeProtocol, databaseDriver, keyValueDriver and pm2Profile are vocabularies: the first three and the last of the capability matrix, the drivers of the runtime contract.",
  remedy:
    "Write one of the values that the message lists, for example with `svcm targets edit <name> --deploy-target lambda`.",
  check(candidate, vocabulary) {
    const { matrix } = vocabulary;
    return [
      ...unknownName(candidate, "deployTarget", matrix.deployTargets),
      ...unknownName(candidate, "serviceType", matrix.serviceTypes),
      ...unknownName(candidate, "runtimeProtocol", matrix.protocols),
      ...unknownValue(candidate, "databaseDriver", valuesOf(vocabulary, matrix.drivers.database)),
      ...unknownValue(candidate, "keyValueDriver", valuesOf(vocabulary, matrix.drivers.keyValue)),
      ...unknownValue(candidate, "pm2Profile", matrix.pm2Profiles),
    ];
  },
};
