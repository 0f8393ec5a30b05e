import { configurationFields } from "../fields.ts";
import { missing, type Rule, unknownValue } from "../rule.ts";

/** Service configuration (a). */
export const configurationValues: Rule = {
  code: "CONFIG_VALUE_UNKNOWN",
  severity: "error",
  summary: "A service configuration names a value outside its vocabulary.",
  explanation:
    "serviceKind, runMode and cloudProvider are vocabularies of the capability matrix. Each has to be one of its values, in its spelling.",
  remedy: "Write one of the values that the message lists, for example with `svcm config set serviceKind=rest-api`.",
  check: ({ entry, vocabulary }) =>
    configurationFields.flatMap(({ name, accepted }) => {
      if (!accepted) return [];
      const values = accepted({}, vocabulary);
      return entry[name] === undefined ? [missing(name, values)] : unknownValue(entry, name, values);
    }),
};
