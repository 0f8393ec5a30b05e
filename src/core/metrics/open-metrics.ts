export interface MetricFamily {
  /** Ends with its unit, without the `_total` of a counter. */
  readonly name: string;
  readonly type: "gauge" | "counter" | "info";
  readonly help: string;
  readonly samples: readonly MetricSample[];
}

export interface MetricSample {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number | null;
}

const UNITS = ["bytes", "seconds", "ratio"];
const SUFFIX = { gauge: "", counter: "_total", info: "_info" } as const;

export const METRICS_TYPES = {
  openmetrics: "application/openmetrics-text; version=1.0.0; charset=utf-8",
  prometheus: "text/plain; version=0.0.4; charset=utf-8",
} as const;

export type MetricsFormat = keyof typeof METRICS_TYPES;

export function metricsText(families: readonly MetricFamily[], format: MetricsFormat): string {
  const measured = families.flatMap(({ samples, ...family }) => {
    const present = samples.filter(({ value }) => value !== null && Number.isFinite(value));
    return present.length === 0 ? [] : [{ ...family, samples: present }];
  });
  const lines = measured.flatMap(format === "openmetrics" ? openMetricsLines : prometheusLines);
  return [...lines, ...(format === "openmetrics" ? ["# EOF"] : []), ""].join("\n");
}

/** @see the OpenMetrics specification, 1.0 */
function openMetricsLines(family: MetricFamily): string[] {
  const { name, type, help } = family;
  const unit = UNITS.find((word) => name.endsWith(`_${word}`));
  return [
    `# TYPE ${name} ${type}`,
    ...(unit === undefined ? [] : [`# UNIT ${name} ${unit}`]),
    `# HELP ${name} ${escapeText(help)}`,
    ...sampleLines(family),
  ];
}

/** There is no type `info`. @see the Prometheus text format, 0.0.4 */
function prometheusLines(family: MetricFamily): string[] {
  const { type, help } = family;
  const name = sampleName(family);
  return [
    `# HELP ${name} ${help.replaceAll("\\", "\\\\").replaceAll("\n", "\\n")}`,
    `# TYPE ${name} ${type === "info" ? "gauge" : type}`,
    ...sampleLines(family),
  ];
}

function sampleName({ name, type }: MetricFamily): string {
  return `${name}${SUFFIX[type]}`;
}

function sampleLines(family: MetricFamily): string[] {
  return family.samples.map(({ labels, value }) => `${sampleName(family)}${labelText(labels)} ${value}`);
}

function labelText(labels: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(labels).map(([key, value]) => `${key}="${escapeText(value)}"`);
  return pairs.length === 0 ? "" : `{${pairs.join(",")}}`;
}

function escapeText(text: string): string {
  return text.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
}
