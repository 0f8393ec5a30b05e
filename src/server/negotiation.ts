/** Content negotiation: the formats and encodings that a client accepts. */
import type { Encoding, MetricsFormat } from "../core/index.ts";

interface Accepted {
  readonly name: string;
  readonly parameters: Readonly<Record<string, string>>;
  /** 0 if the client refuses it. */
  readonly quality: number;
}

function parseAccept(header: string): Accepted[] {
  return header.split(",").map((range) => {
    const [name = "", ...rest] = range.split(";").map((part) => part.trim().toLowerCase());
    const parameters = Object.fromEntries(rest.map((part) => part.split("=", 2).map((text) => text.trim())));
    return { name, parameters, quality: Number(parameters["q"] ?? 1) || 0 };
  });
}

const encodings: readonly Encoding[] = ["br", "gzip"];

export function encodingFor(header: string | undefined): Encoding | undefined {
  if (header === undefined) return undefined;
  const qualities = new Map(parseAccept(header).map(({ name, quality }) => [name, quality]));
  const qualityOf = (encoding: Encoding): number => qualities.get(encoding) ?? qualities.get("*") ?? 0;
  const [best] = encodings.toSorted((a, b) => qualityOf(b) - qualityOf(a));
  return best !== undefined && qualityOf(best) > 0 ? best : undefined;
}

const OPEN_METRICS_VERSIONS = new Set(["", "0.0.1", "1.0.0"]);

/** As in Prometheus' client libraries: OpenMetrics if the client prefers it, otherwise the older text format. */
export function metricsFormat(header = ""): MetricsFormat {
  const [first] = parseAccept(header)
    .filter((accepted) => accepted.quality > 0 && (isOpenMetrics(accepted) || isText(accepted)))
    .toSorted((a, b) => b.quality - a.quality);
  return first !== undefined && isOpenMetrics(first) ? "openmetrics" : "prometheus";
}

function isOpenMetrics({ name, parameters }: Accepted): boolean {
  return name === "application/openmetrics-text" && OPEN_METRICS_VERSIONS.has(parameters["version"] ?? "");
}

function isText({ name, parameters }: Accepted): boolean {
  return name === "text/plain" && ["", "0.0.4"].includes(parameters["version"] ?? "");
}
