import type { Repository, Running } from "../../pm2/ports.ts";
import type { Audited } from "../../access/ports.ts";
import type { HasHealth } from "../port-probes.ts";
import type { HasLogs } from "../../logs/port-logs.ts";
import type { HasMachine } from "../../files/port-machine.ts";
import type { HasProcessLogs } from "../../logs/port-process-logs.ts";
import type { HasDeployed } from "../port-deployed.ts";
import type { HasReleases } from "../port-releases.ts";
import type { HasRevisions } from "../../files/port-revisions.ts";
import type { HasRunningCode } from "../../running/port-running-code.ts";
import type { HasSchedules } from "../../pm2/port-schedules.ts";

/** The ports of the larger functions of this room. */
export interface ApplyPorts
  extends
    Repository,
    Audited,
    Running,
    HasHealth,
    HasLogs,
    HasMachine,
    HasProcessLogs,
    HasDeployed,
    HasReleases,
    HasRevisions,
    HasRunningCode,
    HasSchedules {}
