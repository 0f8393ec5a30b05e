import type { Repository, Running } from "../pm2/ports.ts";
import type { Audited } from "../access/ports.ts";
import type { HasAsyncContext } from "./port-async-context.ts";
import type { HasMachine } from "../files/port-machine.ts";
import type { HasProcessLogs } from "../logs/port-process-logs.ts";
import type { HasDeployed } from "../rollout/port-deployed.ts";
import type { HasReleases } from "../rollout/port-releases.ts";
import type { HasRevisions } from "../files/port-revisions.ts";
import type { HasRunningCode } from "../running/port-running-code.ts";
import type { HasSchedules } from "../pm2/port-schedules.ts";
import type { HasTelemetry } from "./telemetry.ts";

/** The ports of the larger functions of this room. */
export interface MetricsPorts
  extends
    Repository,
    Audited,
    Running,
    HasAsyncContext,
    HasMachine,
    HasProcessLogs,
    HasDeployed,
    HasReleases,
    HasRevisions,
    HasRunningCode,
    HasSchedules,
    HasTelemetry {}
