/** A set of samples under one name, as OpenMetrics tells it. */
export interface MetricFamily {
  /** Without the `_total` of a counter. A name ends in its unit, where it has one. */
  readonly name: string;
  readonly type: "gauge" | "counter" | "info";
  readonly help: string;
  readonly samples: readonly MetricSample[];
}

export interface MetricSample {
  readonly labels: Readonly<Record<string, string>>;
  /** Null for what was not measured: it has no line. */
  readonly value: number | null;
}

const UNITS = ["bytes", "seconds", "ratio"];
const SUFFIX = { gauge: "", counter: "_total", info: "_info" } as const;

/** The text of these families; one without a sample is left out. @see the OpenMetrics specification, 1.0 */
export function openMetrics(families: readonly MetricFamily[]): string {
  const lines = families.flatMap(familyLines);
  return `${[...lines, "# EOF"].join("\n")}\n`;
}

function familyLines({ name, type, help, samples }: MetricFamily): string[] {
  const measured = samples.filter(({ value }) => value !== null && Number.isFinite(value));
  if (measured.length === 0) return [];
  const unit = UNITS.find((word) => name.endsWith(`_${word}`));
  return [
    `# TYPE ${name} ${type}`,
    ...(unit === undefined ? [] : [`# UNIT ${name} ${unit}`]),
    `# HELP ${name} ${escapeText(help)}`,
    ...measured.map(({ labels, value }) => `${name}${SUFFIX[type]}${labelText(labels)} ${value}`),
  ];
}

function labelText(labels: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(labels).map(([key, value]) => `${key}="${escapeText(value)}"`);
  return pairs.length === 0 ? "" : `{${pairs.join(",")}}`;
}

function escapeText(text: string): string {
  return text.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
}
