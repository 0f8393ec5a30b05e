import { defineOperation } from "../../access/operation.ts";
import { withAudit } from "../../access/with-audit.ts";
import { SvcmError } from "../../api/errors.ts";
import type { BootPorts } from "../ports.ts";
import type { RestoredProcess, HasProcesses } from "../../pm2/port-processes.ts";
import { nameList, pluralize } from "../../words/text.ts";
import type { HasClock } from "../../files/ports.ts";
import type { ProcessRecord } from "../../pm2/process-record.ts";
import { listenTimeoutMs } from "../../pm2/settings.ts";
import { recordStarts } from "../../rollout/record-starts.ts";
import { judge, NO_PREVIOUS_RUN, OnlineRuns, POLL_INTERVAL_MS } from "../../rollout/control/verify.ts";

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
    const restored = await withAudit(ports, caller, { action: "boot.restore" }, async ({ begin, note }) => {
      await begin();
      const brought = await processes.restoreList();
      const { pm2Home } = ports.workspace;
      const touched = brought.filter(({ outcome }) => outcome === "started" || outcome === "failed");
      note({ processes: touched.map(({ name, pmId }) => ({ name, pmId, pm2Home })) });
      return await waitForRestored(ports, brought);
    });
    savedLists.makePrivate();
    const daemonPid = (await daemons.list())?.find(({ isOwn }) => isOwn)?.pid ?? null;
    if (daemonPid !== null) await units.notifyReady(daemonPid, statusText(restored));
    if (restored.some(({ outcome }) => outcome === "started")) await recordStarts(ports);
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

/** Longer than a crash loop takes to be one, and than most apps take to boot on a machine that boots. */
const GATE_MS = 60_000;

/**
 * Waits until each started process has stayed online for a second, or has failed. One that fails does not end the
 * others.
 * @returns all of them; those that failed have the reason
 */
export async function waitForRestored(
  { processes, clock }: HasClock & HasProcesses,
  restored: readonly RestoredProcess[],
): Promise<RestoredProcess[]> {
  const open = new Map(
    restored.flatMap((one) => (one.outcome === "started" && one.pmId !== null ? [[one.pmId, one]] : [])),
  );
  const failed: RestoredProcess[] = [];
  const runs = new OnlineRuns(processes.queuedMs);
  const startMs = clock.elapsed();
  for (;;) {
    const list = await processes.list();
    const nowMs = clock.elapsed();
    for (const [pmId, one] of open) {
      const record = list.find((found) => found.pmId === pmId);
      const verdict = judge("start", NO_PREVIOUS_RUN, record, record ? runs.onlineMs(record, nowMs) : 0);
      const isLate = nowMs - startMs > GATE_MS + listenTimeoutMs(record?.declaration.settings ?? {});
      if (verdict === "pending" && !isLate) continue;
      open.delete(pmId);
      const reason = failureOf(verdict, record);
      if (reason !== undefined) failed.push({ ...one, outcome: "failed", reason });
    }
    if (open.size === 0)
      return restored.map((one) => failed.find(({ pmId }) => pmId !== null && pmId === one.pmId) ?? one);
    await clock.sleep(POLL_INTERVAL_MS);
  }
}

function failureOf(verdict: ReturnType<typeof judge>, record: ProcessRecord | undefined): string | undefined {
  if (verdict === "pending") return `PM2 still shows it as ${record?.status}`;
  return typeof verdict === "object" ? verdict.failed : undefined;
}
