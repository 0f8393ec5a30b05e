import type { HasClock, HasHost } from "../files/port-host.ts";
import type { HasFacts, HasWorkspace } from "../project/port-repository.ts";
import type { HasMarks, HasNotifier } from "./port-alerts.ts";
import type { HasBootOutlook } from "../rollout/port-boot-outlook.ts";
import type { HasTelemetry } from "../metrics/telemetry.ts";

/** The ports of the larger functions of this room. */
export interface AlertsPorts
  extends HasBootOutlook, HasClock, HasFacts, HasHost, HasMarks, HasNotifier, HasTelemetry, HasWorkspace {}
