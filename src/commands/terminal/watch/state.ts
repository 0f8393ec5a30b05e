import { compareText } from "../../../core/api/issue.ts";
import type { ChannelAction } from "../../../core/api/names.ts";
import type { MetricsPayload, Sample } from "../../../core/index.ts";

export type Connection = "connecting" | "live" | "stale" | "closed";

export interface Target {
  readonly pmId: number;
  readonly name: string;
}

export interface WatchState {
  readonly environment: string;
  readonly origin: string;
  readonly connection: Connection;
  readonly connectionError: string | undefined;
  readonly sample: Sample | undefined;
  /** Percent of all cores, oldest first. */
  readonly cpuHistory: readonly (number | null)[];
  readonly intervalMs: number;
  readonly isPaused: boolean;
  readonly sort: SortKey;
  readonly filter: string;
  readonly mode: "table" | "filter" | "confirm" | "help" | "details" | "log";
  readonly page: readonly string[];
  readonly selected: number | undefined;
  readonly pendingAction: (Target & { readonly action: ChannelAction }) | undefined;
  readonly notice: { readonly text: string; readonly isBad: boolean } | undefined;
}

export type WatchEvent =
  | { readonly type: "sample"; readonly sample: Sample }
  | { readonly type: "connection"; readonly connection: Connection; readonly reason?: string | undefined }
  | { readonly type: "notice"; readonly text: string; readonly isBad: boolean }
  | { readonly type: "details"; readonly target: Target; readonly lines: readonly string[] }
  | { readonly type: "log"; readonly lines: readonly string[]; readonly isFirst: boolean }
  | { readonly type: "key"; readonly key: string };

export type Effect =
  | { readonly type: "quit" }
  | { readonly type: "interval" }
  | { readonly type: "details" | "log"; readonly target: Target }
  | { readonly type: "leave-log" }
  | { readonly type: "act"; readonly action: ChannelAction; readonly target: Target };

export interface Step {
  readonly state: WatchState;
  readonly effect?: Effect;
}

export function initialState(about: Pick<WatchState, "environment" | "origin" | "intervalMs">): WatchState {
  return {
    ...about,
    connection: "connecting",
    connectionError: undefined,
    sample: undefined,
    cpuHistory: [],
    isPaused: false,
    sort: "cpu",
    filter: "",
    mode: "table",
    page: [],
    selected: undefined,
    pendingAction: undefined,
    notice: undefined,
  };
}

export type Process = MetricsPayload["processes"][number];

export const sortKeys = ["cpu", "memory", "restarts", "name", "status"] as const;
export type SortKey = (typeof sortKeys)[number];

interface Selection {
  readonly sample: Sample | undefined;
  readonly filter: string;
  readonly sort: SortKey;
}

export function visibleProcesses({ sample, filter, sort }: Selection): Process[] {
  if (sample?.kind !== "metrics") return [];
  const search = filter.trim().toLowerCase();
  const matches = sample.payload.processes.filter(({ name, namespace, state }) =>
    [name, namespace ?? "", state].some((text) => text.toLowerCase().includes(search)),
  );
  return matches.toSorted((a, b) => comparators[sort](a, b) || compareText(a.name, b.name) || a.pmId - b.pmId);
}

const comparators: Record<SortKey, (a: Process, b: Process) => number> = {
  cpu: (a, b) => (b.cpuPercent ?? -1) - (a.cpuPercent ?? -1),
  memory: (a, b) => (b.memoryBytes ?? -1) - (a.memoryBytes ?? -1),
  restarts: (a, b) => (b.restartCount ?? -1) - (a.restartCount ?? -1),
  name: () => 0,
  status: (a, b) => compareText(a.state, b.state),
};
