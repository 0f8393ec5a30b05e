import type { Issue } from "../../../core/api/issue.ts";
import { valueIssue } from "../../../core/env/value-rules.ts";
import { maskValue } from "../../../core/env/runtime-keys.ts";
import type { EnvReadResponse, EnvWriteResponse } from "../../../core/api/bodies.ts";
import type { Facts } from "../../data/contract.ts";
import { signal } from "@preact/signals";
import type { Action } from "../../../client/index.ts";
import { escapeHidden } from "../../../core/words/characters.ts";
import type { MetricsPayload } from "../../../core/api/metrics.ts";
import type { Console } from "../../console.ts";
import { toFailure } from "../monitoring/refusal.ts";
import { monitorOf } from "../monitoring/monitor.ts";

type Keys = Facts["contract"]["keys"];
export type KeySpec = Keys[string];

export type Edits = Readonly<Record<string, string>>;

export interface Change {
  readonly key: string;
  readonly from: string;
  readonly to: string;
}

export function listChanges({ editableKeys, values }: EnvReadResponse, edits: Edits): Change[] {
  return editableKeys.flatMap((key) => {
    const [from = "", to] = [values[key], edits[key]];
    return to === undefined || to === from ? [] : [{ key, from, to }];
  });
}

/** Applies the server's own rule. */
export function validateChanges(keys: Keys, changes: readonly Change[]): Issue[] {
  return changes.flatMap(({ key, to }): Issue[] => {
    const spec = keys[key];
    const problem = spec && valueIssue(key, spec, to);
    return problem ? [{ ...problem, path: ["values", key] }] : [];
  });
}

export function issuesFor<Shown extends Pick<Issue, "path">>(issues: readonly Shown[], key: string): Shown[] {
  return issues.filter(({ path }) => path.at(-1) === key);
}

export interface KeyConflict {
  readonly key: string;
  readonly before: string;
  readonly now: string;
  readonly edited?: string;
}

export function findConflicts(before: EnvReadResponse, now: EnvReadResponse, edits: Edits): KeyConflict[] {
  const edited = new Map(listChanges(before, edits).map(({ key, to }) => [key, to]));
  return Object.keys(now.values).flatMap((key) => {
    const [was = "", is = "", to] = [before.values[key], now.values[key], edited.get(key)];
    if (was === is && to === undefined) return [];
    return [{ key, before: was, now: is, ...(to !== undefined && { edited: to }) }];
  });
}

export function valueText(spec: KeySpec | undefined, value: string): string {
  if (value !== "") return maskValue(spec, value);
  return spec && "emptyLabel" in spec && spec.emptyLabel !== undefined ? `${spec.emptyLabel} (empty)` : "empty";
}

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
