import type { LogUsageResponse } from "../api/logs.ts";
import { gauge, gauges } from "./metric-family.ts";
import type { MetricFamily, MetricSample } from "./open-metrics.ts";

const HOUR_SECONDS = 3600;

export function logFamilies({ logs, disks, deleted }: LogUsageResponse): MetricFamily[] {
  const each = (valueOf: (log: LogUsageResponse["logs"][number]) => number | null): MetricSample[] =>
    logs.map((log) => ({ labels: { path: log.path, app: log.app ?? "" }, value: valueOf(log) }));
  return [
    gauges(
      "svcm_log_bytes",
      "Size of a log of PM2.",
      each(({ bytes }) => bytes),
    ),
    gauges(
      "svcm_log_rotated_bytes",
      "Size of its rotated files.",
      each(({ rotatedBytes }) => rotatedBytes),
    ),
    gauges(
      "svcm_log_growth_bytes_per_second",
      "Growth; absent while it is not known.",
      each(({ bytesPerHour }) => (bytesPerHour === null ? null : Math.round(bytesPerHour / HOUR_SECONDS))),
    ),
    gauges(
      "svcm_log_rotated",
      "1 if a tool rotates it, otherwise 0.",
      each((log) => Math.min(1, log.rotatedBy.length)),
    ),
    gauges(
      "svcm_log_disk_full_seconds",
      "Time until the disk is full, if only logs that nothing rotates grow; absent while it is not known.",
      disks.map(({ path, fullInHours }) => ({
        labels: { path },
        value: fullInHours === null ? null : fullInHours * HOUR_SECONDS,
      })),
    ),
    gauge(
      "svcm_log_deleted_bytes",
      "Deleted files that PM2 still writes.",
      deleted.reduce((sum, one) => sum + one.bytes, 0),
    ),
  ];
}
