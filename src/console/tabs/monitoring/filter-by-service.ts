import type { MetricsFrame } from "../../../client/index.ts";

type Metrics = MetricsFrame["payload"];

/** Leaves out processes that the selected service does not declare. */
export function filterByService<Payload extends Pick<Metrics, "processes" | "ecosystem">>(
  payload: Payload,
  service: string,
): Payload {
  const foreign = new Set(service === "" ? [] : payload.ecosystem.unexpected);
  if (foreign.size === 0) return payload;
  return { ...payload, processes: payload.processes.filter(({ name }) => !foreign.has(name)) };
}
