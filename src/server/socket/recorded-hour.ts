import { execute, historyShow, SvcmError, type Caller, type Ports } from "../../core/index.ts";
import { toJson } from "../answer.ts";
import { SharedMessage } from "./shared-message.ts";

/** The frame with the recorded hour; `undefined` if nothing was recorded. */
export type RecordedHour = () => Promise<SharedMessage | undefined>;

const SERIES = "host,*:cpuPercent,*:memoryBytes";
/** One value for each 20 seconds. */
const POINTS = 180;
/** A new step is recorded that often. */
const KEPT_MS = 10_000;

/** The client has shown that it may read. */
const reader: Caller = { source: "ws", grants: ["read"] };

/** Reads and serialises the hour once for all clients that subscribe within ten seconds. */
export function recordedHourOf(ports: Ports): RecordedHour {
  let last: { readonly atMs: number; readonly message: ReturnType<RecordedHour> } | undefined;
  return () => {
    const atMs = ports.clock.elapsed();
    if (last === undefined || atMs - last.atMs >= KEPT_MS) last = { atMs, message: read(ports) };
    return last.message;
  };
}

/** If the history cannot be read, the client gets the metrics without it. */
async function read(ports: Ports): ReturnType<RecordedHour> {
  try {
    const { from, step, series, gaps } = await execute(historyShow, ports, { series: SERIES, points: POINTS }, reader);
    if (series.length === 0) return undefined;
    return new SharedMessage(toJson({ type: "history", payload: { from, step, series, gaps } }));
  } catch (error) {
    if (!(error instanceof SvcmError)) throw error;
    return undefined;
  }
}
