import type { Repository, Running } from "../pm2/ports.ts";
import type { Audited } from "../access/ports.ts";
import type { HasInstallation } from "./port-installation.ts";
import type { HasMachine } from "../files/port-machine.ts";
import type { HasLogCare } from "../logs/care/port-log-care.ts";
import type { HasProcessLogs } from "../logs/port-process-logs.ts";
import type { HasRevisions } from "../files/port-revisions.ts";
import type { HasSchedules } from "../pm2/port-schedules.ts";
import type { BootPorts } from "../boot/ports.ts";
import type { HasSurvey } from "./detect/survey.ts";

/** The ports of the larger functions of this room. */
export interface SetupPorts
  extends
    Repository,
    Audited,
    Running,
    HasInstallation,
    HasLogCare,
    HasMachine,
    HasProcessLogs,
    HasRevisions,
    HasSchedules,
    HasSurvey,
    BootPorts {}
