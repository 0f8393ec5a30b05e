import type { HasClock, HasHost } from "../files/port-host.ts";
import type { HasHistoryFiles, HasPrometheus, HasRecorder } from "./port-history.ts";
import type { HasWorkspace } from "../project/port-repository.ts";

/** The ports of the larger functions of this room. */
export interface HistoryPorts extends HasClock, HasHistoryFiles, HasHost, HasPrometheus, HasRecorder, HasWorkspace {}
