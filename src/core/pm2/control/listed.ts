import { scrubOf } from "../scrub.ts";
import type { Ports } from "../../ports/index.ts";
import { cutText, withMetricTexts } from "../../metrics/custom-metrics.ts";
import { foldersOf, type ProblemFacts } from "../problem.ts";
import type { ProcessRecord } from "../process-record.ts";
import { knownSecrets } from "../ecosystem-file.ts";

/**
 * PM2's processes without secrets of the env files in their custom metrics.
 *
 * @throws {SvcmError} PM2_FAILED, FACT_INVALID
 */
export async function listShown(ports: Ports): Promise<ProcessRecord[]> {
  const records = await ports.processes.list();
  if (records.every(({ customMetrics }) => Object.keys(customMetrics).length === 0)) return records;
  const scrub = scrubOf(await knownSecrets(ports, await ports.facts.runtimeContract()));
  return records.map((record) => withMetricTexts(record, (text) => cutText(scrub(text))));
}

export function problemFacts({ clock, stamps }: Ports, records: readonly ProcessRecord[]): ProblemFacts {
  return { epochMs: clock.now(), missingFolders: stamps.missing(foldersOf(records)) };
}
