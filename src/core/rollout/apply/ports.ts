import type { HasLogs } from "../../logs/port-logs.ts";
import type { HasDeployed } from "../port-deployed.ts";
import type { HasHealth } from "../port-probes.ts";
import type { RolloutPorts } from "../ports.ts";

/** The ports of the larger functions of this folder. */
export interface ApplyPorts extends RolloutPorts, HasDeployed, HasHealth, HasLogs {}
