import type { HasEcosystems } from "./port-ecosystems.ts";
import type { HasFacts, HasWorkspace } from "../project/port-repository.ts";
import type { HasFiles, HasStamps, HasClock } from "../files/ports.ts";
import type { HasProcesses } from "./port-processes.ts";

/** The ports that read declarations. */
export interface Repository extends HasEcosystems, HasFacts, HasFiles, HasWorkspace {}

/** The ports that look at processes. */
export interface Running extends HasClock, HasProcesses, HasStamps {}
