import { defineOperation } from "../../access/operation.ts";
import { withAudit } from "../../access/with-audit.ts";
import type { RestoredProcess } from "../../pm2/port-processes.ts";
import { pluralize } from "../../words/pluralize.ts";
import { waitForRestored } from "../gate.ts";
import type { BootPorts } from "../ports.ts";
import { nameList } from "../facts.ts";

export interface BootRestoreResponse {
  /** `outside`: systemd asked for it, but a daemon that systemd did not start already runs. Nothing was touched. */
  readonly state: "restored" | "outside";
  readonly daemonPid: number | null;
  readonly processes: readonly RestoredProcess[];
}

/**
 * Brings back the saved list. A process that fails is part of the answer: an error would make systemd end those that came
 * back.
 */
export const bootRestore = defineOperation({
  id: "boot.restore",
  access: "act",
  refusal: "INVALID_REQUEST",
  async run(ports: BootPorts, _input, caller): Promise<BootRestoreResponse> {
    const { daemons, processes, units, savedLists } = ports;
    const outside = await findOutside(ports);
    if (outside !== undefined) return { state: "outside", daemonPid: outside, processes: [] };
    const restored = await withAudit(
      ports,
      caller,
      () => ({ action: "boot.restore" }),
      async (begin) => {
        await begin();
        const answers = await processes.restoreList();
        const failed = new Map((await waitForRestored(ports, answers)).map((one) => [one.pmId, one]));
        return answers.map((one) => (one.pmId === null ? one : (failed.get(one.pmId) ?? one)));
      },
    );
    savedLists.makePrivate();
    const daemonPid = (await daemons.list())?.find(({ isOwn }) => isOwn)?.pid ?? null;
    if (daemonPid !== null) await units.notifyReady(daemonPid, statusText(restored));
    return { state: "restored", daemonPid, processes: restored };
  },
});

/** systemd takes a daemon of another group for a failed start, and its end would not be seen. */
async function findOutside({ daemons, units }: BootPorts): Promise<number | undefined> {
  if (!units.isSupervised) return undefined;
  const own = (await daemons.list())?.find(({ isOwn }) => isOwn);
  return own !== undefined && own.group !== daemons.ownGroup() ? own.pid : undefined;
}

function statusText(restored: readonly RestoredProcess[]): string {
  const failed = restored.filter(({ outcome }) => outcome === "failed").map(({ name }) => name);
  const started = restored.filter(({ outcome }) => outcome === "started").length;
  const what = `${pluralize(started, "process", "processes")} started`;
  return failed.length === 0 ? what : `${what}, failed: ${nameList([...new Set(failed)])}`;
}
