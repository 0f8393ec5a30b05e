import { type Rule, missing, notAccepted, unknownValue } from "../rule.ts";
import { interfaceController, interfaceDuplicate, interfaceEntrypoint, interfaceFramework } from "./interfaces.ts";
import {
  targetName,
  targetProfile,
  targetProtocol,
  targetRequired,
  targetServiceType,
  targetValues,
} from "./targets.ts";
import { targetRuntime } from "./target-runtime.ts";
import { configurationFields } from "../fields.ts";
import { quoteValue } from "../../findings/quote.ts";
import { acceptedText } from "../../findings/rule.ts";
import { isPort } from "../../words/port.ts";
import { activePorts } from "../tcp-ports.ts";
import { lookup } from "../vocabulary.ts";
import { envSpellings } from "../../project/resolve.ts";
import { DOCUMENT_VERSION } from "../shape.ts";
import { rolloutFindings } from "../../project/rollout-findings.ts";

const documentVersion: Rule = {
  code: "SUITE_VERSION_UNSUPPORTED",
  severity: "error",
  check({ entry: { version } }) {
    if (typeof version !== "string" || version === DOCUMENT_VERSION) return [];
    return [notAccepted("version", `${quoteValue(version)} is not supported`, [DOCUMENT_VERSION])];
  },
};

const documentEnvironment: Rule = {
  code: "SUITE_ENVIRONMENT_UNKNOWN",
  severity: "error",
  check({ entry: { runtimeEnvironment }, vocabulary: { contract } }) {
    const spellings = [...envSpellings(contract).keys()];
    if (typeof runtimeEnvironment !== "string" || spellings.includes(runtimeEnvironment.trim().toLowerCase()))
      return [];
    return [notAccepted("runtimeEnvironment", `${quoteValue(runtimeEnvironment)} is not an environment`, spellings)];
  },
};

const configurationValues: Rule = {
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

const configurationPorts: Rule = {
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

const configurationPortCollision: Rule = {
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

const configurationProvider: Rule = {
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

const rolloutSetting: Rule = {
  code: "ROLLOUT_SETTING",
  severity: "error",
  check: ({ entry }) =>
    rolloutFindings(entry).map(({ path, message, ...more }) => ({
      ...more,
      path,
      message: `${["rollout", ...path].join(".")}: ${message}`,
    })),
};

export const rules = {
  document: [documentVersion, documentEnvironment],
  serviceConfiguration: [configurationValues, configurationPorts, configurationPortCollision, configurationProvider],
  interfaces: [interfaceFramework, interfaceEntrypoint, interfaceController, interfaceDuplicate],
  deployments: [
    targetRequired,
    targetName,
    targetRuntime,
    targetValues,
    targetServiceType,
    targetProtocol,
    targetProfile,
  ],
  rollout: [rolloutSetting],
} satisfies Record<string, readonly Rule[]>;
