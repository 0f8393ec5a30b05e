import type { Audited } from "../access/ports.ts";
import type { HasProcessLogs } from "../logs/port-process-logs.ts";
import type { Repository, Running } from "../pm2/ports.ts";
import type { HasDaemons } from "../pm2/port-daemons.ts";
import type { HasSavedLists } from "../pm2/port-saved-list.ts";
import type { HasDeployed } from "../rollout/port-deployed.ts";
import type { HasReleases } from "../rollout/port-releases.ts";
import type { HasUnits } from "./port-units.ts";

/** The ports of the larger functions of this room. */
export interface BootPorts
  extends Repository, Audited, Running, HasDaemons, HasDeployed, HasProcessLogs, HasReleases, HasSavedLists, HasUnits {}
