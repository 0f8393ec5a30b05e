import type { HasClock } from "../files/ports.ts";
import type { HasProcesses, RestoredProcess } from "../pm2/port-processes.ts";
import type { ProcessRecord } from "../pm2/process-record.ts";
import { listenTimeoutMs } from "../pm2/settings.ts";
import { judge, NO_PREVIOUS_RUN, OnlineRuns, POLL_INTERVAL_MS } from "../rollout/control/verify.ts";

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
  const runs = new OnlineRuns();
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
