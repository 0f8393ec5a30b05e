import { interval } from "../../../core/api/channel.ts";
import type { ChannelAction } from "../../../core/api/names.ts";
import type { Sample } from "../../../core/index.ts";
import type { Key } from "./keys.ts";
import { shownProcesses, sortKeys, type SortKey } from "./processes.ts";

export type Connection = "connecting" | "live" | "stale" | "closed";

export interface Target {
  readonly pmId: number;
  readonly name: string;
}

export interface WatchState {
  readonly environment: string;
  readonly origin: string;
  readonly connection: Connection;
  readonly trouble: string | undefined;
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
  readonly asked: (Target & { readonly action: ChannelAction }) | undefined;
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

interface Step {
  readonly state: WatchState;
  readonly effect?: Effect;
}

const HISTORY = 240;
const NOTHING_SELECTED = { text: "Select a process with the arrow keys.", isBad: true };
const INTERVAL_STEP_MS = 250;
const MAX_FILTER = 80;
export const MOST_LOG_LINES = 500;

export function initialState(about: Pick<WatchState, "environment" | "origin" | "intervalMs">): WatchState {
  return {
    ...about,
    connection: "connecting",
    trouble: undefined,
    sample: undefined,
    cpuHistory: [],
    isPaused: false,
    sort: "cpu",
    filter: "",
    mode: "table",
    page: [],
    selected: undefined,
    asked: undefined,
    notice: undefined,
  };
}

export function next(state: WatchState, event: WatchEvent): Step {
  switch (event.type) {
    case "sample":
      return { state: withSample(state, event.sample) };
    case "connection":
      return { state: { ...state, connection: event.connection, trouble: event.reason ?? state.trouble } };
    case "notice":
      return { state: { ...state, notice: { text: event.text, isBad: event.isBad } } };
    case "details":
      // The user may have opened another page in the meantime.
      return { state: isShown(state, event.target) ? { ...state, page: event.lines } : state };
    case "log":
      return {
        state: { ...state, page: [...(event.isFirst ? [] : state.page), ...event.lines].slice(-MOST_LOG_LINES) },
      };
    case "key":
      return event.key === "ctrl-c" ? { state, effect: { type: "quit" } } : onKey[state.mode](state, event.key);
  }
}

function isShown({ mode, selected }: WatchState, { pmId }: Target): boolean {
  return mode === "details" && selected === pmId;
}

function withSample(state: WatchState, sample: Sample): WatchState {
  if (state.isPaused) return { ...state, connection: "live", trouble: undefined };
  const cpuHistory = [...state.cpuHistory, sample.payload.host.cpu.usagePercent].slice(-HISTORY);
  return { ...state, sample, cpuHistory, connection: "live", trouble: undefined };
}

const ACTIONS: Readonly<Record<Key, ChannelAction>> = { S: "start", X: "stop", R: "restart" };

const MODES: Readonly<Record<Key, WatchState["mode"]>> = { "?": "help", "/": "filter" };

const PAGES: Readonly<Record<Key, "details" | "log">> = { enter: "details", l: "log" };

const STEPS: Readonly<Record<Key, number>> = { up: -1, k: -1, down: 1, j: 1 };

const onKey: Record<WatchState["mode"], (state: WatchState, key: Key) => Step> = {
  help: (state, key) => (key === "q" ? quit(state) : { state: { ...state, mode: "table" } }),
  filter: (state, key) => ({ state: filtered(state, key) }),
  confirm: (state, key) => confirmed(state, key),
  details: (state, key) =>
    key === "q" ? quit(state) : key === "enter" ? opened(state, "details") : { state: { ...state, mode: "table" } },
  log: (state, key) =>
    key === "q" ? quit(state) : { state: { ...state, mode: "table" }, effect: { type: "leave-log" } },
  table: onTableKey,
};

function onTableKey(state: WatchState, key: Key): Step {
  const action = ACTIONS[key];
  if (action !== undefined) return { state: asking(state, action) };
  const mode = MODES[key];
  if (mode !== undefined) return { state: { ...state, mode } };
  const page = PAGES[key];
  if (page !== undefined) return opened(state, page);
  const step = STEPS[key];
  if (step !== undefined) return { state: moved(state, step) };
  switch (key) {
    case "q":
      return quit(state);
    case "escape":
      return { state: { ...state, filter: "", notice: undefined } };
    case "p":
      return { state: { ...state, isPaused: !state.isPaused } };
    case "s":
      return { state: { ...state, sort: sortKeys[(sortKeys.indexOf(state.sort) + 1) % sortKeys.length] ?? "cpu" } };
    case "+":
      return paced(state, -INTERVAL_STEP_MS);
    case "-":
      return paced(state, INTERVAL_STEP_MS);
    default:
      return { state };
  }
}

function opened(state: WatchState, mode: "details" | "log"): Step {
  const target = shownProcesses(state).find(({ pmId }) => pmId === state.selected);
  if (target === undefined) return { state: { ...state, notice: NOTHING_SELECTED } };
  const { pmId, name } = target;
  const page = state.mode === "details" ? state.page : ["Reading …"];
  return { state: { ...state, mode, page }, effect: { type: mode, target: { pmId, name } } };
}

function quit(state: WatchState): Step {
  return { state, effect: { type: "quit" } };
}

function paced(state: WatchState, byMs: number): Step {
  const intervalMs = Math.min(interval.max, Math.max(interval.min, state.intervalMs + byMs));
  if (intervalMs === state.intervalMs) return { state };
  return { state: { ...state, intervalMs }, effect: { type: "interval" } };
}

function moved(state: WatchState, by: number): WatchState {
  const ids = shownProcesses(state).map(({ pmId }) => pmId);
  const at = state.selected === undefined ? -1 : ids.indexOf(state.selected);
  const to = at === -1 ? (by > 0 ? 0 : ids.length - 1) : Math.min(ids.length - 1, Math.max(0, at + by));
  return { ...state, selected: ids[to] };
}

function filtered(state: WatchState, key: Key): WatchState {
  if (key === "enter") return { ...state, mode: "table" };
  if (key === "escape") return { ...state, mode: "table", filter: "" };
  if (key === "backspace") return { ...state, filter: Array.from(state.filter).slice(0, -1).join("") };
  const isText = Array.from(key).length === 1;
  return isText ? { ...state, filter: (state.filter + key).slice(0, MAX_FILTER) } : state;
}

function asking(state: WatchState, action: ChannelAction): WatchState {
  const target = shownProcesses(state).find(({ pmId }) => pmId === state.selected);
  if (target === undefined) return { ...state, notice: NOTHING_SELECTED };
  const { pmId, name } = target;
  return { ...state, mode: "confirm", asked: { action, pmId, name }, notice: undefined };
}

/** Only `y` confirms. */
function confirmed(state: WatchState, key: Key): Step {
  const { asked } = state;
  const table: WatchState = { ...state, mode: "table", asked: undefined };
  if (key !== "y" || asked === undefined) return { state: table };
  const { action, ...target } = asked;
  const notice = { text: `${action} ${target.name} (id ${target.pmId}) …`, isBad: false };
  return { state: { ...table, notice }, effect: { type: "act", action, target } };
}
