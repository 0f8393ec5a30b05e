import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";
import { metricsText, type MetricFamily } from "../../../src/core/metrics/open-metrics.ts";
import { metricFamilies } from "../../../src/core/metrics/metric-families.ts";
import { exposedFacts, facts, payload } from "./exposed-facts.ts";

const LINE =
  /^(?<name>[a-z_][a-z0-9_]*)(?:\{(?<labels>(?:[a-z_]+="(?:[^"\\\n]|\\["\\n])*",?)+)\})? (?<value>-?\d+(?:\.\d+)?(?:e[+-]\d+)?)$/;

test("the exposition of a sample has every metric family", async () => {
  const text = metricsText(metricFamilies(exposedFacts), "openmetrics");
  await expect(text).toMatchFileSnapshot(join(import.meta.dirname, "../../fixtures/telemetry/open-metrics.txt"));
});

test("the exposition follows the grammar: metadata before samples, names end in unit and type, each set of labels once", () => {
  const text = metricsText(metricFamilies(exposedFacts), "openmetrics");
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

test("labels are escaped, and a missing measurement is left out", () => {
  const families: MetricFamily[] = [
    {
      name: "svcm_x",
      type: "gauge",
      help: 'Says "x"\\\n.',
      samples: [
        { labels: { name: 'a"b\\c\nd' }, value: 1 },
        { labels: { name: "e" }, value: null },
      ],
    },
    { name: "svcm_y", type: "gauge", help: "Nothing.", samples: [{ labels: {}, value: null }] },
  ];
  expect(metricsText(families, "openmetrics")).toBe(
    '# TYPE svcm_x gauge\n# HELP svcm_x Says \\"x\\"\\\\\\n.\nsvcm_x{name="a\\"b\\\\c\\nd"} 1\n# EOF\n',
  );
  expect(metricsText(families, "prometheus")).toBe(
    '# HELP svcm_x Says "x"\\\\\\n.\n# TYPE svcm_x gauge\nsvcm_x{name="a\\"b\\\\c\\nd"} 1\n',
  );
});

const hasPromtool = spawnSync("promtool", ["--version"]).status === 0;

test.skipIf(!hasPromtool)("the text format 0.0.4 passes Prometheus' own checks (needs promtool)", () => {
  const hostile = { ...payload, processes: payload.processes.map((one) => ({ ...one, name: 'a"b\\c\nd \u{1f600}' })) };
  for (const shown of [payload, hostile]) {
    const text = metricsText(metricFamilies({ ...facts, sample: { kind: "metrics", payload: shown } }), "prometheus");
    const { status, stdout, stderr } = spawnSync("promtool", ["check", "metrics"], { input: text, encoding: "utf8" });
    expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: "", stderr: "" });
  }
});

test.each([
  ["online", 1],
  ["running", 1],
  ["waiting", undefined],
  ["ended", undefined],
  ["stopped", 0],
  ["hung", 0],
  ["crash loop", 0],
  ["unknown", 0],
] as const)("a process that is %s is up: %j", (state, value) => {
  const [one] = payload.processes;
  const shown = { ...payload, processes: [{ ...one!, state }] };
  const text = metricsText(metricFamilies({ ...facts, sample: { kind: "metrics", payload: shown } }), "openmetrics");
  const up = text.split("\n").filter((line) => line.startsWith("svcm_process_up{"));
  expect(up.map((line) => line.split(" ").at(-1))).toEqual(value === undefined ? [] : [String(value)]);
});

test("of a file that cannot be read, no difference is not zero", () => {
  const ecosystem = { ...payload.ecosystem, code: "ECOSYSTEM_FILE_FAILED", drift: [] } as typeof payload.ecosystem;
  const lines = (shown: typeof payload) =>
    metricsText(metricFamilies({ ...facts, sample: { kind: "metrics", payload: shown } }), "openmetrics")
      .split("\n")
      .filter((line) => /^svcm_ecosystem_(?:readable|drift)\{/.test(line));
  expect(lines({ ...payload, ecosystem })).toEqual([expect.stringMatching(/^svcm_ecosystem_readable\{.*\} 0$/)]);
  expect(lines(payload).length).toBeGreaterThan(1);
});
