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

export const configurationPorts: Rule = {
  code: "CONFIG_PORT_INVALID",
  severity: "error",
  summary: "A port that the service kind binds is not a port number.",
  explanation:
    "Each port that the serviceKind binds is an integer from 1 to 65535. Ports of listeners that it does not bind are ignored.",
  remedy: "Set the port, for example `svcm config set ports.rest=3000`.",
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
  summary: "Two listeners of one service have the same port.",
  explanation: "Each listener is a separate process, so every port that the serviceKind binds must be different.",
  remedy: "Give each listener its own port, for example `svcm config set ports.websocket=3001`.",
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
  summary: "The cloud provider does not support the run mode.",
  explanation:
    "The capability matrix lists the supported combinations of runMode and cloudProvider: `svcm matrix show`.",
  remedy:
    "Choose a pair that `svcm matrix show` lists, and set both at once: `svcm config set runMode=... cloudProvider=...`.",
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
