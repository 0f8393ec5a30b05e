import { metricFamilies } from "../metrics/metric-families.ts";
import { metricsText } from "../metrics/open-metrics.ts";
import { defineOperation } from "../operation.ts";

/** Covers processes, host, drift, audit and svcm's own cost; only the host if PM2 cannot be read. */
export const metricsExpose = defineOperation({
  id: "metrics.expose",
  access: "read",
  refusal: "INVALID_REQUEST",
  async run(ports, { version, format }): Promise<string> {
    const { telemetry, machine, audit } = ports;
    const sample = await telemetry.collect({ environment: undefined, asyncContext: false });
    const facts = { own: machine.own(), cost: telemetry.cost(), audit: audit.counts() };
    return metricsText(metricFamilies({ version, sample, ...facts }), format);
  },
});
