import type { ProcessRecord } from "./process-record.ts";

/** Shown of a name or a text. */
const LONGEST = 200;

/** The record with another text for each name and text of its custom metrics; numbers stay as they are. */
export function withMetricTexts(record: ProcessRecord, textOf: (text: string) => string): ProcessRecord {
  const metrics = Object.entries(record.customMetrics);
  if (metrics.length === 0) return record;
  const customMetrics = Object.fromEntries(
    metrics.map(([name, value]) => [textOf(name), typeof value === "string" ? textOf(value) : value]),
  );
  return { ...record, customMetrics };
}

/** For what was masked and scrubbed: a cut before that could leave a part of a secret. */
export function cutText(text: string): string {
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}
