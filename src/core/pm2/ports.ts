import type { HasEcosystems } from "./port-ecosystems.ts";
import type { HasFacts, HasWorkspace } from "../project/port-repository.ts";
import type { HasFiles, HasStamps } from "../files/port-files.ts";
import type { HasClock } from "../files/port-machine.ts";
import type { HasProcesses } from "./port-processes.ts";

/** The ports that read declarations. */
export interface Repository extends HasEcosystems, HasFacts, HasFiles, HasWorkspace {}

/** The ports that look at processes. */
export interface Running extends HasClock, HasProcesses, HasStamps {}
