import { configurationFields } from "../fields.ts";
import { missing, notAccepted, type Rule, unknownValue } from "../rule.ts";
import { quoteValue } from "../../findings/quote-value.ts";
import { acceptedText } from "../../findings/rule.ts";
import { isPort } from "../../words/port.ts";
import { activePorts } from "../tcp-ports.ts";
import { lookup } from "../vocabulary.ts";

export const configurationValues: Rule = {
  code: "CONFIG_VALUE_UNKNOWN",
  severity: "error",
  check: ({ entry, vocabulary }) =>
    configurationFields.flatMap(({ name, accepted }) => {
      if (!accepted) return [];
      const fitting = accepted(entry, vocabulary);
      if (entry[name] === undefined) return [missing(name, fitting)];
      return unknownValue(entry, name, accepted({}, vocabulary), fitting);
    }),
};

export const configurationPorts: Rule = {
  code: "CONFIG_PORT_INVALID",
  severity: "error",
  check: ({ entry, vocabulary }) =>
    activePorts(entry, vocabulary)
      .filter(({ value }) => !isPort(value))
      .map(({ name, declared }) => ({
        path: ["ports", name],
        message: acceptedText(
          `ports.${name}${declared === undefined ? " is missing" : `: ${quoteValue(declared)} is not a port`}`,
          "an integer from 1 to 65535",
        ),
      })),
};

export const configurationPortCollision: Rule = {
  code: "CONFIG_PORT_COLLISION",
  severity: "error",
  check({ entry, vocabulary }) {
    const ports = activePorts(entry, vocabulary).filter(({ value }) => isPort(value));
    return ports.flatMap(({ name, value }, index) => {
      const first = ports.slice(0, index).find((other) => other.value === value);
      return first
        ? [{ path: ["ports", name], message: `ports.${name}: ${value} is the port of ${first.name} already` }]
        : [];
    });
  },
};

export const configurationProvider: Rule = {
  code: "CONFIG_PROVIDER_UNSUPPORTED",
  severity: "error",
  check({ entry: { runMode, cloudProvider }, vocabulary: { matrix } }) {
    const mode = lookup(matrix.runModes, runMode);
    if (!mode || lookup(matrix.cloudProviders, cloudProvider) === undefined) return [];
    if (mode.cloudProviders.includes(String(cloudProvider))) return [];
    return [
      notAccepted(
        "cloudProvider",
        `${quoteValue(cloudProvider)} does not offer the run mode ${quoteValue(runMode)}`,
        mode.cloudProviders,
      ),
    ];
  },
};
