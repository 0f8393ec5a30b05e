import type { AffectedProcess } from "../../pm2/control/action.ts";
import type { Ports } from "../../ports/index.ts";
import { readAppliedState } from "../releases-now.ts";
import { readSettings } from "../settings/read.ts";
import { waitUntilHealthy } from "./gate.ts";
import { formerProbeFinder } from "./recording.ts";

/** One by one. @throws {SvcmError} PROCESS_ACTION_FAILED with the code of the gate, and the errors of the settings */
export async function createHealthWaiter(
  ports: Ports,
  timeoutMs: number | undefined,
): Promise<(started: readonly AffectedProcess[]) => Promise<void>> {
  const left = await readAppliedState(ports);
  const settingsOf = await readSettings(ports, (app) => left.apps[app]?.service ?? "");
  const probeOf = formerProbeFinder(left, (app) => settingsOf(app).health);
  return async (started) => {
    const list = await ports.processes.list();
    for (const one of started) {
      const record = list.find(({ pmId }) => pmId === one.pmId);
      const { deadlineMs, minHealthyMs } = settingsOf(one.name);
      const probe = record && probeOf(record);
      await waitUntilHealthy(ports, one, { probe, deadlineMs: timeoutMs ?? deadlineMs, minHealthyMs });
    }
  };
}
