import type { HasTelemetry } from "../telemetry.ts";
import { foreignCode } from "../../api/code.ts";
import type { MetricsPayload } from "../../api/metrics.ts";
import { SvcmError } from "../../api/errors.ts";
import { defineOperation } from "../../access/operation.ts";

/** @see the specification, "GET /api/runtime/pm2-metrics" */
export const metricsShow = defineOperation({
  id: "metrics.show",
  access: "read",
  refusal: "INVALID_REQUEST",
  async run(ports: HasTelemetry, { environment, service, asyncContext = false }): Promise<MetricsPayload> {
    const sample = await ports.telemetry.collect({ environment, service, asyncContext });
    if (sample.kind === "metrics") return sample.payload;
    throw new SvcmError("PM2_METRICS_FAILED", { code: foreignCode(sample.error.code), details: sample.error.details });
  },
});
