import { configurationFields } from "../fields.ts";
import { missing, type Rule, unknownValue } from "../rule.ts";

export const configurationValues: Rule = {
  code: "CONFIG_VALUE_UNKNOWN",
  severity: "error",
  summary: "A service configuration names a value outside its vocabulary.",
  explanation:
    "serviceKind, runMode and cloudProvider are vocabularies of the capability matrix. Each value must be in its vocabulary, in the same spelling.",
  remedy: "Write one of the values that the message lists, for example with `svcm config set serviceKind=rest-api`.",
  check: ({ entry, vocabulary }) =>
    configurationFields.flatMap(({ name, accepted }) => {
      if (!accepted) return [];
      const fitting = accepted(entry, vocabulary);
      if (entry[name] === undefined) return [missing(name, fitting)];
      return unknownValue(entry, name, accepted({}, vocabulary), fitting);
    }),
};
