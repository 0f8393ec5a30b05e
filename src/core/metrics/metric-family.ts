import type { MetricFamily, MetricSample } from "./open-metrics.ts";

export function gauges(name: string, help: string, samples: readonly MetricSample[]): MetricFamily {
  return { name, type: "gauge", help, samples };
}

export function gauge(name: string, help: string, value: number | null, labels = {}): MetricFamily {
  return gauges(name, help, [{ labels, value }]);
}

export function counter(name: string, help: string, value: number | null): MetricFamily {
  return { name, type: "counter", help, samples: [{ labels: {}, value }] };
}

export function info(name: string, help: string, labels: Readonly<Record<string, string>>): MetricFamily {
  return { name, type: "info", help, samples: [{ labels, value: 1 }] };
}
