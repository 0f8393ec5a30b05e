import type { MetricsFormat } from "../core/index.ts";

const OPEN_METRICS_VERSIONS = new Set(["", "0.0.1", "1.0.0"]);

interface Accepted {
  readonly type: string;
  readonly parameters: Readonly<Record<string, string>>;
  readonly quality: number;
}

/** As in Prometheus' client libraries: OpenMetrics if the client prefers it, otherwise the older text format. */
export function metricsFormat(accept: string | undefined): MetricsFormat {
  const wanted = (accept ?? "")
    .split(",")
    .map(parsed)
    .toSorted((a, b) => b.quality - a.quality);
  const first = wanted.find((accepted) => accepted.quality > 0 && (isOpenMetrics(accepted) || isText(accepted)));
  return first !== undefined && isOpenMetrics(first) ? "openmetrics" : "prometheus";
}

function parsed(range: string): Accepted {
  const [type = "", ...rest] = range.split(";").map((part) => part.trim().toLowerCase());
  const parameters = Object.fromEntries(rest.map((part) => part.split("=", 2).map((text) => text.trim())));
  const quality = Number(parameters["q"] ?? 1);
  return { type, parameters, quality: Number.isNaN(quality) ? 0 : quality };
}

function isOpenMetrics({ type, parameters }: Accepted): boolean {
  return type === "application/openmetrics-text" && OPEN_METRICS_VERSIONS.has(parameters["version"] ?? "");
}

function isText({ type, parameters }: Accepted): boolean {
  return type === "text/plain" && ["", "0.0.4"].includes(parameters["version"] ?? "");
}
