import type { HasLogs } from "../logs/port-logs.ts";
import type { MetricsPorts } from "../metrics/ports.ts";
import type { HasSightings } from "./port-events.ts";

/** The ports of the larger functions of this room. */
export interface EventsPorts extends MetricsPorts, HasLogs, HasSightings {}
