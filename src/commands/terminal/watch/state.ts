import { compareText } from "../../../core/api/issue.ts";
import type { ChannelAction } from "../../../core/api/names.ts";
import type { MetricsPayload, Sample } from "../../../core/index.ts";
import { interval } from "../../../core/api/channel.ts";

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

interface Step {
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

const MAX_CPU_SAMPLES = 240;
export const MAX_LOG_LINES = 500;

/** A pure function from a state and an event to a state and an effect. */
export function reduce(state: WatchState, event: WatchEvent): Step {
  switch (event.type) {
    case "sample":
      return { state: withSample(state, event.sample) };
    case "connection":
      return {
        state: { ...state, connection: event.connection, connectionError: event.reason ?? state.connectionError },
      };
    case "notice":
      return { state: { ...state, notice: { text: event.text, isBad: event.isBad } } };
    case "details":
      // The user may have opened another page in the meantime.
      return { state: isOpen(state, event.target) ? { ...state, page: event.lines } : state };
    case "log":
      return {
        state: { ...state, page: [...(event.isFirst ? [] : state.page), ...event.lines].slice(-MAX_LOG_LINES) },
      };
    case "key":
      return event.key === "ctrl-c" ? { state, effect: { type: "quit" } } : keyHandlers[state.mode](state, event.key);
  }
}

function isOpen({ mode, selected }: WatchState, { pmId }: Target): boolean {
  return mode === "details" && selected === pmId;
}

function withSample(state: WatchState, sample: Sample): WatchState {
  if (state.isPaused) return { ...state, connection: "live", connectionError: undefined };
  const cpuHistory = [...state.cpuHistory, sample.payload.host.cpu.usagePercent].slice(-MAX_CPU_SAMPLES);
  return { ...state, sample, cpuHistory, connection: "live", connectionError: undefined };
}

const NOTHING_SELECTED = { text: "Select a process with the arrow keys.", isBad: true };
const INTERVAL_STEP_MS = 250;
const MAX_FILTER_LENGTH = 80;

const ACTION_KEYS: Readonly<Record<string, ChannelAction>> = { S: "start", X: "stop", R: "restart" };

const MODE_KEYS: Readonly<Record<string, WatchState["mode"]>> = { "?": "help", "/": "filter" };

const PAGE_KEYS: Readonly<Record<string, "details" | "log">> = { enter: "details", l: "log" };

const MOVE_KEYS: Readonly<Record<string, number>> = { up: -1, k: -1, down: 1, j: 1 };

const keyHandlers: Record<WatchState["mode"], (state: WatchState, key: string) => Step> = {
  help: (state, key) => (key === "q" ? quit(state) : { state: { ...state, mode: "table" } }),
  filter: (state, key) => ({ state: editFilter(state, key) }),
  confirm: (state, key) => answerConfirmation(state, key),
  details: (state, key) =>
    key === "q" ? quit(state) : key === "enter" ? openPage(state, "details") : { state: { ...state, mode: "table" } },
  log: (state, key) =>
    key === "q" ? quit(state) : { state: { ...state, mode: "table" }, effect: { type: "leave-log" } },
  table: onTableKey,
};

function onTableKey(state: WatchState, key: string): Step {
  const action = ACTION_KEYS[key];
  if (action !== undefined) return { state: askToConfirm(state, action) };
  const mode = MODE_KEYS[key];
  if (mode !== undefined) return { state: { ...state, mode } };
  const page = PAGE_KEYS[key];
  if (page !== undefined) return openPage(state, page);
  const step = MOVE_KEYS[key];
  if (step !== undefined) return { state: moveSelection(state, step) };
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
      return changeInterval(state, -INTERVAL_STEP_MS);
    case "-":
      return changeInterval(state, INTERVAL_STEP_MS);
    default:
      return { state };
  }
}

function openPage(state: WatchState, mode: "details" | "log"): Step {
  const target = visibleProcesses(state).find(({ pmId }) => pmId === state.selected);
  if (target === undefined) return { state: { ...state, notice: NOTHING_SELECTED } };
  const { pmId, name } = target;
  const page = state.mode === "details" ? state.page : ["Reading …"];
  return { state: { ...state, mode, page }, effect: { type: mode, target: { pmId, name } } };
}

function quit(state: WatchState): Step {
  return { state, effect: { type: "quit" } };
}

function changeInterval(state: WatchState, byMs: number): Step {
  const intervalMs = Math.min(interval.max, Math.max(interval.min, state.intervalMs + byMs));
  if (intervalMs === state.intervalMs) return { state };
  return { state: { ...state, intervalMs }, effect: { type: "interval" } };
}

function moveSelection(state: WatchState, by: number): WatchState {
  const ids = visibleProcesses(state).map(({ pmId }) => pmId);
  const at = state.selected === undefined ? -1 : ids.indexOf(state.selected);
  const to = at === -1 ? (by > 0 ? 0 : ids.length - 1) : Math.min(ids.length - 1, Math.max(0, at + by));
  return { ...state, selected: ids[to] };
}

function editFilter(state: WatchState, key: string): WatchState {
  if (key === "enter") return { ...state, mode: "table" };
  if (key === "escape") return { ...state, mode: "table", filter: "" };
  if (key === "backspace") return { ...state, filter: Array.from(state.filter).slice(0, -1).join("") };
  const isText = Array.from(key).length === 1;
  return isText ? { ...state, filter: (state.filter + key).slice(0, MAX_FILTER_LENGTH) } : state;
}

function askToConfirm(state: WatchState, action: ChannelAction): WatchState {
  const target = visibleProcesses(state).find(({ pmId }) => pmId === state.selected);
  if (target === undefined) return { ...state, notice: NOTHING_SELECTED };
  const { pmId, name } = target;
  return { ...state, mode: "confirm", pendingAction: { action, pmId, name }, notice: undefined };
}

/** Only `y` confirms. */
function answerConfirmation(state: WatchState, key: string): Step {
  const { pendingAction } = state;
  const table: WatchState = { ...state, mode: "table", pendingAction: undefined };
  if (key !== "y" || pendingAction === undefined) return { state: table };
  const { action, ...target } = pendingAction;
  const notice = { text: `${action} ${target.name} (id ${target.pmId}) …`, isBad: false };
  return { state: { ...table, notice }, effect: { type: "act", action, target } };
}
