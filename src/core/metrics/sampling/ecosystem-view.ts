import type { ErrorCode } from "../../api/code.ts";
import type { MetricsPayload } from "../../api/metrics.ts";
import { driftOf } from "../../rollout/drift.ts";
import type { ExpectedApp } from "../../rollout/expected.ts";
import { filesNow } from "../../rollout/files.ts";
import type { Left } from "../../rollout/release.ts";
import type { Ports } from "../../ports/index.ts";
import type { ProcessRecord } from "../../pm2/process-record.ts";

export interface EcosystemState {
  readonly fileName: string;
  readonly path: string;
  readonly exists: boolean;
  readonly expected: readonly ExpectedApp[];
  readonly visibleKeys: ReadonlySet<string>;
  /** The apps as the last apply left them. */
  readonly left?: Left["apps"];
  readonly failure?: { readonly error: string; readonly code: ErrorCode };
}

export type EcosystemMetrics = MetricsPayload["ecosystem"];

/** Without a file nothing is compared, because the processes belong to another environment. */
export function ecosystemView(
  ports: Ports,
  state: EcosystemState,
  records: readonly ProcessRecord[],
): EcosystemMetrics {
  const { fileName, path, exists, failure, expected } = state;
  const nothing = { missingExpected: [], unexpected: [], drift: [] };
  if (failure !== undefined)
    return { fileName, path, exists, expectedProcessCount: null, ...nothing, planSteps: null, ...failure };
  if (!exists) return { fileName, path, exists, expectedProcessCount: 0, ...nothing, planSteps: 0 };
  const facts = { expected, running: records, visibleKeys: state.visibleKeys, left: state.left };
  return { fileName, path, exists, ...driftOf({ ...facts, ...filesNow(ports, expected, records) }) };
}
