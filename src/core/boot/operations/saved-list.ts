import { defineOperation } from "../../access/operation.ts";
import { withAudit } from "../../access/with-audit.ts";
import { SvcmError } from "../../api/errors.ts";
import type { BootPorts } from "../ports.ts";
import type { RestoredProcess } from "../../pm2/port-processes.ts";
import { nameList, pluralize } from "../../words/text.ts";
import { waitForRestored } from "../gate.ts";

interface BootSaveResponse {
  readonly path: string;
  readonly processes: number;
}

/** Saves PM2's list for the next boot, with a copy, both for their owner only. */
export const bootSave = defineOperation({
  id: "boot.save",
  access: "act",
  async run(ports: BootPorts, _input, caller): Promise<BootSaveResponse> {
    const { processes, savedLists } = ports;
    return await withAudit(ports, caller, { action: "boot.save" }, async ({ begin }) => {
      const list = await processes.list();
      const { path, processes: saved } = await savedLists.read((value) => processes.digest(value));
      if (list.length === 0 && saved.length > 0)
        throw new SvcmError("PROCESS_ACTION_REFUSED", {
          code: "BOOT_SAVE_EMPTY",
          details: `PM2 runs no apps, and the saved list has ${saved.length} of them, which a save would remove.`,
          hint: "Bring them back: svcm boot restore. To empty the list: pm2 save --force.",
        });
      await begin();
      await processes.saveList();
      savedLists.makePrivate();
      return { path, processes: list.length };
    });
  },
});

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
  async run(ports: BootPorts, _input, caller): Promise<BootRestoreResponse> {
    const { daemons, processes, units, savedLists } = ports;
    const outside = await findOutside(ports);
    if (outside !== undefined) return { state: "outside", daemonPid: outside, processes: [] };
    const restored = await withAudit(ports, caller, { action: "boot.restore" }, async ({ begin }) => {
      await begin();
      return await waitForRestored(ports, await processes.restoreList());
    });
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

/** For the stop of the unit: each app gets its own time to end, all at once. Without a daemon, there is nothing to do. */
export const bootDrain = defineOperation({
  id: "boot.drain",
  access: "act",
  async run({ processes }: Pick<BootPorts, "processes">): Promise<{ readonly drained: boolean }> {
    try {
      await processes.drain();
      return { drained: true };
    } catch (error) {
      if (error instanceof SvcmError && error.body.code === "PM2_NOT_RUNNING") return { drained: false };
      throw error;
    }
  },
});
