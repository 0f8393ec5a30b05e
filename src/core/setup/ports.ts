import type { BootPorts } from "../boot/ports.ts";
import type { HasMachine, HasRevisions } from "../files/ports.ts";
import type { HasLogCare } from "../logs/care/port-log-care.ts";
import type { HasSchedules } from "../pm2/port-schedules.ts";
import type { HasSurvey } from "./detect/survey.ts";
import type { HasInstallation } from "./port-installation.ts";

/** The ports of the larger functions of this room. */
export interface SetupPorts
  extends BootPorts, HasInstallation, HasLogCare, HasMachine, HasRevisions, HasSchedules, HasSurvey {}
