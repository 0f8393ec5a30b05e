import { signal } from "@preact/signals";
import type { Action } from "../../../client/index.ts";
import { escapeHidden } from "../../../core/deployments/characters.ts";
import type { EnvWriteResponse } from "../../../core/api/bodies.ts";
import type { MetricsPayload } from "../../../core/api/metrics.ts";
import type { Console } from "../../console.ts";
import { toFailure } from "../monitoring/refusal.ts";
import { monitorOf } from "../monitoring/monitor.ts";

export interface StaleApp {
  readonly name: string;
  /** True if the ecosystem file sets the value: a plain restart keeps the old one. */
  readonly isOfEcosystem: boolean;
  /** True if the app serves this page, which therefore cannot restart it. */
  readonly isOwn: boolean;
}

export type RestartState = "waiting" | "restarting" | "restarted" | "not restarted";

/** Apps that read the file before the write, or hold another value of a changed key. */
export function staleIn(
  { ecosystem, processes }: MetricsPayload,
  { fileName, changedKeys }: EnvWriteResponse,
): StaleApp[] {
  const ofFile = ecosystem.drift.filter(
    ({ field, declared }) => field === "envFile" && String(declared).split(/[\\/]/).at(-1) === fileName,
  );
  // `values`: svcm recorded what the process read from the file, and compares by content.
  const ofKeys = ecosystem.drift.filter(
    ({ field, key }) => (field === "env" || field === "values") && key !== null && changedKeys.includes(key),
  );
  const handedOver = new Set(ofKeys.filter(({ field }) => field === "env").map(({ name }) => name));
  const own = new Set(processes.flatMap(({ name, isOwn }) => (isOwn ? [name] : [])));
  const names = [...new Set([...ofFile, ...ofKeys].map(({ name }) => name))].toSorted();
  return names.map((name) => ({ name, isOfEcosystem: handedOver.has(name), isOwn: own.has(name) }));
}

/** Restarts one app after another, and stops at the first failure. */
export function createRestarts(page: Console) {
  const states = signal<ReadonlyMap<string, RestartState>>(new Map());
  const problem = signal<string | undefined>();
  const set = (name: string, state: RestartState): void => {
    states.value = new Map([...states.value, [name, state]]);
  };
  const restart = async ({ name, isOfEcosystem }: StaleApp): Promise<boolean> => {
    const action: Action = { action: "restart", scope: isOfEcosystem ? "ecosystem" : "process", name };
    set(name, "restarting");
    const { ok, error } = await monitorOf(page)
      .feed.act(action)
      .catch((reason: unknown) => ({ ok: false, ...toFailure(reason) }));
    if (!ok) problem.value = `${name}: ${error ?? "The restart failed."}`;
    set(name, ok ? "restarted" : "not restarted");
    return ok;
  };
  return {
    states,
    problem,
    async run(apps: readonly StaleApp[]): Promise<void> {
      const { feed, mayEnd } = monitorOf(page);
      const names = apps.map(({ name }) => escapeHidden(name));
      if (!(await mayEnd("Restart", names))) return;
      const close = feed.open();
      problem.value = undefined;
      states.value = new Map([...states.value, ...apps.map(({ name }) => [name, "waiting"] as const)]);
      let isGoingOn = true;
      for (const app of apps) {
        if (isGoingOn) isGoingOn = await restart(app);
        else set(app.name, "not restarted");
      }
      close();
    },
  };
}
