import type { HasAudit } from "./port-audit-log.ts";
import type { HasClock, HasHost } from "../files/port-host.ts";
import type { HasWorkspace } from "../project/port-repository.ts";

/** The ports of an audited change. */
export interface Audited extends HasAudit, HasClock, HasHost, HasWorkspace {}
