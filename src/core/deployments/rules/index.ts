import type { Rule } from "../rule.ts";
import { configurationPortCollision } from "./configuration-port-collision.ts";
import { configurationPorts } from "./configuration-ports.ts";
import { configurationProvider } from "./configuration-provider.ts";
import { configurationValues } from "./configuration-values.ts";
import { documentEnvironment } from "./document-environment.ts";
import { documentVersion } from "./document-version.ts";
import { interfaceController } from "./interface-controller.ts";
import { interfaceDuplicate } from "./interface-duplicate.ts";
import { interfaceEntrypoint } from "./interface-entrypoint.ts";
import { interfaceFramework } from "./interface-framework.ts";
import { rolloutSetting } from "./rollout-setting.ts";
import { targetName } from "./target-name.ts";
import { targetProfile } from "./target-profile.ts";
import { targetProtocol } from "./target-protocol.ts";
import { targetRequired } from "./target-required.ts";
import { targetRuntime } from "./target-runtime.ts";
import { targetServiceType } from "./target-service-type.ts";
import { targetValues } from "./target-values.ts";

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
