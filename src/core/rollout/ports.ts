import type { Repository, Running } from "../pm2/ports.ts";
import type { Audited } from "../access/ports.ts";
import type { HasMachine, HasRevisions } from "../files/ports.ts";
import type { HasProcessLogs, HasLogs } from "../logs/port-logs.ts";
import type { HasReleases } from "./port-releases.ts";
import type { HasRunningCode } from "../running/port-running-code.ts";
import type { HasSchedules } from "../pm2/port-daemons.ts";
import type { HasDeployed, HasHealth } from "./port-deployed.ts";

/** The ports of the larger functions of this room. */
export interface RolloutPorts
  extends
    Repository,
    Audited,
    Running,
    HasMachine,
    HasProcessLogs,
    HasReleases,
    HasRevisions,
    HasRunningCode,
    HasSchedules {}

/** The ports of the larger functions of this folder. */
export interface ApplyPorts extends RolloutPorts, HasDeployed, HasHealth, HasLogs {}
