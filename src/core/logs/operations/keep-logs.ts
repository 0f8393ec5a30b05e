import type { Caller } from "../../access/operation.ts";
import type { Audited } from "../../access/ports.ts";
import type { LogRotationResponse } from "../../api/logs.ts";
import type { HasFacts } from "../../project/port-repository.ts";
import { logsRotate } from "./logs-rotate.ts";
import type { HasLogCare } from "../care/port-log-care.ts";

const INTERVAL_MS = 60_000;

/**
 * Looks at the logs each minute, so that their growth is known, and rotates them if `svcm.yaml` says so. Ends when the
 * signal is aborted.
 * @param report of each rotation, and of an error; the next minute brings the next try
 */
export async function keepLogs(
  ports: Audited & HasFacts & HasLogCare,
  caller: Caller,
  report: { readonly done: (answer: LogRotationResponse) => void; readonly failed: (error: unknown) => void },
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    try {
      if ((await ports.facts.project())?.logs === undefined)
        await ports.logCare.look({ writersFrom: Number.POSITIVE_INFINITY });
      else report.done(await logsRotate.run(ports, { dryRun: false }, { ...caller, signal }));
    } catch (error) {
      report.failed(error);
    }
    await ports.clock.sleep(INTERVAL_MS, signal).catch(() => undefined);
  }
}
