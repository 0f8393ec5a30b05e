import { scrubOf, type Scrub } from "../../../pm2/scrub.ts";
import { isSecretVariable } from "../../../secrets/secret-value.ts";
import { withMetricTexts } from "../../../metrics/custom-metrics.ts";
import type { ProcessRecord } from "../../../pm2/process-record.ts";
import type { Pm2Process } from "./pm2-api.ts";
import { environmentOf, processRecord } from "./process-record.ts";

/**
 * The only way for a record to leave the worker: permitted fields, and custom metrics without credentials and without
 * secrets of any process.
 */
export function published(
  processes: readonly Pm2Process[],
  scrub: Scrub,
  digest: (value: string) => string,
): ProcessRecord[] {
  return processes.map((listed) => withMetricTexts(processRecord(listed, digest), scrub));
}

export function environmentScrub(processes: readonly Pm2Process[]): Scrub {
  let scrub: Scrub | undefined;
  return (text) => (scrub ??= scrubOf(environmentSecrets(processes)))(text);
}

/** They must not leave the worker that calls it. */
export function environmentSecrets(processes: readonly Pm2Process[]): string[] {
  return processes.flatMap((listed) =>
    Object.entries(environmentOf(listed)).flatMap(([name, value]) =>
      typeof value === "string" && isSecretVariable(name, value) ? [value] : [],
    ),
  );
}
