import type { MetricsPayload } from "../../api/metrics.ts";
import { driftOf } from "../../pm2/drift/drift.ts";
import type { ExpectedApp } from "../../pm2/drift/expected.ts";
import type { Ports } from "../../ports/index.ts";
import { foldersOf } from "../../pm2/problem.ts";
import type { ProcessRecord } from "../../pm2/process-record.ts";

/** The declarations of an environment's ecosystem file at its last run. */
export interface EcosystemState {
  readonly fileName: string;
  readonly path: string;
  readonly exists: boolean;
  readonly expected: readonly ExpectedApp[];
  readonly visibleKeys: ReadonlySet<string>;
  readonly failure?: { readonly error: string; readonly code: string };
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
  if (failure !== undefined) return { fileName, path, exists, expectedProcessCount: null, ...nothing, ...failure };
  if (!exists) return { fileName, path, exists, expectedProcessCount: 0, ...nothing };
  const files = envFilesOf(state);
  const stamps = new Map(ports.stamps.of(files).map((stamp, index) => [files[index], stamp?.modifiedMs]));
  const missingFolders = ports.stamps.missing(foldersOf(records));
  const facts = { expected, running: records, missingFolders, modifiedMs: (file: string) => stamps.get(file) };
  return { fileName, path, exists, ...driftOf({ ...facts, visibleKeys: state.visibleKeys }) };
}

export function envFilesOf({ expected }: EcosystemState): string[] {
  return [...new Set(expected.flatMap(({ envFiles }) => envFiles))];
}
