import { signal } from "@preact/signals";
import type { Action } from "../../../client/index.ts";
import { escapeHidden } from "../../../core/words/characters.ts";
import type { EnvWriteResponse } from "../../../core/api/bodies.ts";
import type { MetricsPayload } from "../../../core/api/metrics.ts";
import type { Console } from "../../console.ts";
import { toFailure } from "../monitoring/refusal.ts";
import { monitorOf } from "../monitoring/monitor.ts";

export type RestartState = "waiting" | "restarting" | "restarted" | "not restarted";

export interface StaleApp extends Pick<StaleProcess, "name" | "scope"> {
  /** `own`: the app serves this page. `elsewhere`: a restart would use the ecosystem file of the watched environment. */
  readonly refusal?: "own" | "elsewhere";
}

type StaleProcess = EnvWriteResponse["staleProcesses"][number];

/** Without an answer about the processes, the server refuses to restart itself. */
export function listStaleApps(
  { staleProcesses }: Pick<EnvWriteResponse, "staleProcesses">,
  watched: string,
  processes: readonly Pick<MetricsPayload["processes"][number], "name" | "isOwn">[] = [],
): StaleApp[] {
  const own = new Set(processes.flatMap(({ name, isOwn }) => (isOwn ? [name] : [])));
  return staleProcesses.map(({ name, scope, environment }): StaleApp => {
    if (own.has(name)) return { name, scope, refusal: "own" };
    return scope === "ecosystem" && watched !== environment ? { name, scope, refusal: "elsewhere" } : { name, scope };
  });
}

/** An app that the page may not restart keeps the old values. */
export function legendOf(apps: readonly StaleApp[], states: ReadonlyMap<string, RestartState>): string {
  const isDone = apps.every(({ name }) => states.get(name) === "restarted");
  return isDone ? "Restarted with the new values" : "Still running with the old values";
}

/** Restarts one app after another, and stops at the first failure. */
export function createRestarts(page: Console) {
  const states = signal<ReadonlyMap<string, RestartState>>(new Map());
  const problem = signal<string | undefined>();
  const set = (name: string, state: RestartState): void => {
    states.value = new Map([...states.value, [name, state]]);
  };
  const restart = async ({ name, scope }: StaleApp): Promise<boolean> => {
    const action: Action = { action: "restart", scope, name };
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
