import type { Sample } from "../../../../src/core/index.ts";
import { hostSample, sample } from "../../../server/socket/hand-telemetry.ts";
import {
  reduce,
  initialState,
  type WatchEvent,
  type WatchState,
} from "../../../../src/commands/terminal/watch/state.ts";

const MIB = 2 ** 20;

type Process = Extract<Sample, { kind: "metrics" }>["payload"]["processes"][number];

/** Processes with every status, and with long, wide or hostile names. */
export function busySample(): Sample {
  const { payload } = sample(1);
  const [example] = payload.processes;
  if (example === undefined) throw new Error("the example has no process");
  const process = (pmId: number, name: string, state: Process["state"], more: Partial<Process> = {}): Process => ({
    ...example,
    pmId,
    name,
    state,
    cpuPercent: pmId * 10,
    memoryBytes: (10 - pmId) * MIB,
    restartCount: pmId,
    uptimeMs: state === "online" ? 3_600_000 * pmId : null,
    ...more,
  });
  const processes = [
    process(0, "dev-restapi", "online", { pid: 100 }),
    process(1, "dev-websocketapi", "crash loop", {
      pid: null,
      restartCount: 16,
      cpuPercent: null,
      memoryBytes: null,
      problem: { code: "PROCESS_CRASH_LOOP", details: "It was restarted 16 times in a row, about once a second." },
    }),
    process(2, "worker-with-a-name-that-is-much-longer-than-any-column", "online", { pid: 102 }),
    process(3, "服务-監視", "stopped", { pid: null, cpuPercent: 0 }),
    process(4, "evil\u001B[31m\u001B]0;title\u0007\r\nname\u202E", "online", { pid: 104 }),
    process(5, "dev-grpcapi", "starting", { pid: 105 }),
  ];
  const drift = [
    { name: "dev-restapi", pmIds: [0], field: "script", state: "different", key: null, declared: "a", running: "b" },
  ] as const;
  return {
    kind: "metrics",
    payload: {
      ...payload,
      processes,
      ecosystem: { ...payload.ecosystem, drift: drift.map((entry) => ({ ...entry, pmIds: [0] })) },
    },
  };
}

export const awaySample = hostSample;

export function stateAfter(...events: readonly WatchEvent[]): WatchState {
  const start = initialState({ environment: "dev", origin: "this machine", intervalMs: 1000 });
  return events.reduce((state, event) => reduce(state, event).state, start);
}

export function keys(text: string): WatchEvent[] {
  return text.split(" ").map((key) => ({ type: "key", key }));
}

export function seen(given: Sample): WatchEvent {
  return { type: "sample", sample: given };
}
