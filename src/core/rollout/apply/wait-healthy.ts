import type { AffectedProcess } from "../../pm2/control/acting.ts";
import type { Ports } from "../../ports/index.ts";
import { leftNow } from "../releases-now.ts";
import { readSettings } from "../settings/read.ts";
import { gate } from "./gate.ts";
import { formerProbe } from "./recording.ts";

/** One by one. @throws {SvcmError} PROCESS_ACTION_FAILED with the code of the gate, and the errors of the settings */
export async function healthWaiter(
  ports: Ports,
  timeoutMs: number | undefined,
): Promise<(started: readonly AffectedProcess[]) => Promise<void>> {
  const left = await leftNow(ports);
  const settingsOf = await readSettings(ports, (app) => left.apps[app]?.service ?? "");
  const probeOf = formerProbe(left, (app) => settingsOf(app).health);
  return async (started) => {
    const list = await ports.processes.list();
    for (const one of started) {
      const record = list.find(({ pmId }) => pmId === one.pmId);
      const { deadlineMs, minHealthyMs } = settingsOf(one.name);
      const probe = record && probeOf(record);
      await gate(ports, one, { probe, deadlineMs: timeoutMs ?? deadlineMs, minHealthyMs });
    }
  };
}
