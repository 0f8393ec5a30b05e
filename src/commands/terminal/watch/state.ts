import type { ChannelAction } from "../../../core/api/names.ts";
import type { Sample } from "../../../core/index.ts";
import type { Key } from "./keys.ts";
import type { SortKey } from "./processes.ts";

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
  | { readonly type: "key"; readonly key: Key };

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
