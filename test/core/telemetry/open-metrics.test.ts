import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openMetrics } from "../../../src/core/telemetry/open-metrics.ts";
import { metricFamilies } from "../../../src/core/telemetry/metric-families.ts";
import type { MetricsPayload } from "../../../src/core/contract/metrics.ts";

const payload = JSON.parse(
  readFileSync(join(import.meta.dirname, "../../fixtures/telemetry/payload.json"), "utf8"),
) as MetricsPayload;

const facts = {
  version: "1.2.3",
  own: {
    cpuSeconds: 1.5,
    rssBytes: 1e3,
  },
  cost: {
    samples: 7,
    listCalls: 3,
  },
  audit: [
    {
      action: "env.write",
      outcome: "succeeded",
      count: 2,
    } as const,
  ],
};

const LINE =
  /^(?<name>[a-z_][a-z0-9_]*)(?:\{(?<labels>(?:[a-z_]+="(?:[^"\\\n]|\\["\\n])*",?)+)\})? (?<value>-?\d+(?:\.\d+)?(?:e[+-]\d+)?)$/;

test("every family of a sample", async () => {
  const text = openMetrics(metricFamilies({ ...facts, sample: { kind: "metrics", payload } }));
  await expect(text).toMatchFileSnapshot(join(import.meta.dirname, "../../fixtures/telemetry/open-metrics.txt"));
});

test("follows the grammar: metadata before its samples, names end in unit and kind, each set of labels once", () => {
  const text = openMetrics(metricFamilies({ ...facts, sample: { kind: "metrics", payload } }));
  const lines = text.split("\n");
  expect(lines.splice(-2)).toEqual(["# EOF", ""]);
  let family = "";
  let type = "";
  const seen = new Set<string>();
  for (const line of lines) {
    const [, keyword, name = "", rest = ""] = /^# (TYPE|UNIT|HELP) (\S+) (.*)$/.exec(line) ?? [];
    if (keyword === "TYPE") [family, type] = [name, rest];
    if (keyword === "UNIT") expect(name.endsWith(`_${rest}`)).toBe(true);
    if (keyword !== undefined) {
      expect(name).toBe(family);
      continue;
    }
    const { groups = {} } = LINE.exec(line) ?? {};
    expect({ line, name: groups["name"] }).toEqual({
      line,
      name: `${family}${{ gauge: "", counter: "_total", info: "_info" }[type]}`,
    });
    expect(seen.has(line.slice(0, line.lastIndexOf(" ")))).toBe(false);
    seen.add(line.slice(0, line.lastIndexOf(" ")));
  }
  expect(seen.size).toBeGreaterThan(40);
});

test("labels are escaped, and what was not measured has no line", () => {
  const families = [
    {
      ...({ name: "svcm_x", type: "gauge", help: 'Says "x"\\\n.' } as const),
      samples: [
        { labels: { name: 'a"b\\c\nd' }, value: 1 },
        { labels: { name: "e" }, value: null },
      ],
    },
    { name: "svcm_y", type: "gauge", help: "Nothing.", samples: [{ labels: {}, value: null }] } as const,
  ];
  expect(openMetrics(families)).toBe(
    '# TYPE svcm_x gauge\n# HELP svcm_x Says \\"x\\"\\\\\\n.\nsvcm_x{name="a\\"b\\\\c\\nd"} 1\n# EOF\n',
  );
});
