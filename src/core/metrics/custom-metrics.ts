import type { ProcessRecord } from "../pm2/process-record.ts";

const LONGEST = 200;

/** The record with another text for each name, text and unit of its custom metrics; numbers stay as they are. */
export function withMetricTexts(record: ProcessRecord, textOf: (text: string) => string): ProcessRecord {
  if (Object.keys(record.customMetrics).length === 0) return record;
  const shown = <Value>(metrics: Readonly<Record<string, Value>>): Record<string, Value | string> =>
    Object.fromEntries(
      Object.entries(metrics).map(([name, value]) => [textOf(name), typeof value === "string" ? textOf(value) : value]),
    );
  const { customMetrics, customMetricUnits } = record;
  return { ...record, customMetrics: shown(customMetrics), customMetricUnits: shown(customMetricUnits) };
}

/** Only for scrubbed text: a cut before could leave a part of a secret. */
export function cutText(text: string): string {
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}
