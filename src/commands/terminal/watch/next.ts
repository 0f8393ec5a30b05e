/** A pure function from a state and an event to a state and an effect. */
import type { Sample } from "../../../core/index.ts";
import { keyHandlers } from "./on-key.ts";
import type { Step, Target, WatchEvent, WatchState } from "./state.ts";

const MAX_CPU_SAMPLES = 240;
export const MAX_LOG_LINES = 500;

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
