import type { ProcessRecord } from "../pm2/process-record.ts";
import { REDACTED } from "../secrets/redact.ts";
import { isSecretName } from "../secrets/secret-name.ts";

const LONGEST = 200;

/**
 * The record with another text for each name, text and unit of its custom metrics. A text under the name of a secret is
 * `[REDACTED]`; numbers stay as they are, because counters such as `auth failures` have such names too.
 */
export function withMetricTexts(record: ProcessRecord, textOf: (text: string) => string): ProcessRecord {
  if (Object.keys(record.customMetrics).length === 0) return record;
  const shown = (name: string, value: string | number): string | number => {
    if (typeof value === "number") return value;
    return isSecretName(name) ? REDACTED : textOf(value);
  };
  const metrics = Object.entries(record.customMetrics).map(([name, value]) => [textOf(name), shown(name, value)]);
  const units = Object.entries(record.customMetricUnits).map(([name, unit]) => [textOf(name), textOf(unit)]);
  return { ...record, customMetrics: Object.fromEntries(metrics), customMetricUnits: Object.fromEntries(units) };
}

/** Only for scrubbed text: a cut before could leave a part of a secret. */
export function cutText(text: string): string {
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}
