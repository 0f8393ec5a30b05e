import type { HasDeployed } from "../rollout/port-deployed.ts";
import type { RolloutPorts } from "../rollout/ports.ts";
import type { HasAsyncContext } from "./port-async-context.ts";
import type { HasTelemetry } from "./telemetry.ts";

/** The ports of the larger functions of this room. */
export interface MetricsPorts extends RolloutPorts, HasAsyncContext, HasDeployed, HasTelemetry {}
