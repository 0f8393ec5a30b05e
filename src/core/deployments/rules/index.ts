import type { Rule } from "../rule.ts";
import {
  configurationPortCollision,
  configurationPorts,
  configurationProvider,
  configurationValues,
} from "./configuration.ts";
import { documentEnvironment, documentVersion, rolloutSetting } from "./document.ts";
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
