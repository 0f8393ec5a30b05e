import { type Rule, unknownName, unknownValue } from "../rule.ts";
import { valuesOf } from "../vocabulary.ts";

/** Deploy target (a). */
export const targetValues: Rule = {
  code: "TARGET_VALUE_UNKNOWN",
  severity: "error",
  summary: "A deploy target names a value outside its vocabulary.",
  explanation:
    "deployTarget, serviceType, runtimeProtocol, databaseDriver, keyValueDriver and pm2Profile are vocabularies: the first three and the last of the capability matrix, the drivers of the runtime contract.",
  remedy:
    "Write one of the values that the message lists, for example with `svcm targets edit <name> --deploy-target lambda`.",
  check({ entry, vocabulary }) {
    const { matrix } = vocabulary;
    return [
      ...unknownName(entry, "deployTarget", matrix.deployTargets),
      ...unknownName(entry, "serviceType", matrix.serviceTypes),
      ...unknownName(entry, "runtimeProtocol", matrix.protocols),
      ...unknownValue(entry, "databaseDriver", valuesOf(vocabulary, matrix.drivers.database)),
      ...unknownValue(entry, "keyValueDriver", valuesOf(vocabulary, matrix.drivers.keyValue)),
      ...unknownValue(entry, "pm2Profile", matrix.pm2Profiles),
    ];
  },
};
