import type { MetricsPorts } from "../ports.ts";
import type { HasLogCare } from "../../logs/care/port-log-care.ts";
import type { HasBootOutlook } from "../../rollout/port-boot-outlook.ts";
import { usageOf } from "../../logs/care/usage.ts";
import { metricFamilies } from "../metric-families.ts";
import { metricsText } from "../open-metrics.ts";
import { defineOperation } from "../../access/operation.ts";
import { listReleases } from "../../rollout/read-releases.ts";
import { serverIdentity } from "../../access/server-identity.ts";
import type { HasTelemetry } from "../telemetry.ts";
import { foreignCode } from "../../api/issue.ts";
import type { MetricsPayload } from "../../api/metrics.ts";
import { SvcmError } from "../../api/errors.ts";

/** @see the specification, "GET /api/runtime/pm2-metrics" */
export const metricsShow = defineOperation({
  id: "metrics.show",
  access: "read",
  refusal: "INVALID_REQUEST",
  async run(ports: HasTelemetry, { environment, service, asyncContext = false }, { limits }): Promise<MetricsPayload> {
    const sample = await ports.telemetry.collect({ environment, service, asyncContext, limits });
    if (sample.kind === "metrics") return sample.payload;
    throw new SvcmError("PM2_METRICS_FAILED", { code: foreignCode(sample.error.code), details: sample.error.details });
  },
});

/** Two scrapers, or one that retries, share a measurement. */
const FRESH_MS = 2_000;

/** Covers processes, host, drift, audit and svcm's own cost. If PM2 cannot be read, covers only the host. */
export const metricsExpose = defineOperation({
  id: "metrics.expose",
  access: "read",
  refusal: "INVALID_REQUEST",
  async run(ports: MetricsPorts & HasLogCare & HasBootOutlook, { version, format }, { limits }): Promise<string> {
    const { telemetry, machine, audit, releases } = ports;
    const [sample, storedReleases, server] = await Promise.all([
      telemetry.collect({
        environment: undefined,
        asyncContext: false,
        freshMs: FRESH_MS,
        limits,
      }),
      // If the releases cannot be read, the other metrics are still useful.
      listReleases(releases).catch(() => []),
      serverIdentity(ports),
    ]);
    const counts = { audit: audit.counts(), releases: storedReleases, ended: releases.counts() };
    // The server looks at the logs each minute.
    const survey = ports.logCare.last();
    const logs = survey && usageOf(survey, (await ports.facts.project())?.logs);
    const cost = { own: machine.ownUsage(), cost: telemetry.cost() };
    return metricsText(
      metricFamilies({ version, server, sample, logs, boot: ports.bootOutlook.last(), ...cost, ...counts }),
      format,
    );
  },
});
