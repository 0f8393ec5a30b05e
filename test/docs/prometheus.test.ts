import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { metricFamilies } from "../../src/core/metrics/metric-families.ts";
import { metricsText } from "../../src/core/metrics/open-metrics.ts";
import { exposedFacts } from "../core/metrics/exposed-facts.ts";
import { REPOSITORY } from "../support/command-line.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const EXAMPLES = join(REPOSITORY, "docs/examples/prometheus");
const FIXTURES = join(REPOSITORY, "test/fixtures/prometheus");
/** Prometheus adds these to each scrape. */
const OF_PROMETHEUS = ["up"];
const hasPromtool = spawnSync("promtool", ["--version"]).status === 0;

const read = (name: string): string => readFileSync(join(EXAMPLES, name), "utf8");

interface Rule {
  readonly record?: string;
  readonly alert?: string;
  readonly expr: string;
}

interface Dashboard {
  readonly panels: readonly { readonly targets: readonly { readonly expr: string }[] }[];
  readonly templating: { readonly list: readonly { readonly definition?: string }[] };
}

const { groups } = parse(read("svcm.rules.yml")) as { groups: readonly { rules: readonly Rule[] }[] };
const rules = groups.flatMap((group) => group.rules);
const dashboard = JSON.parse(read("svcm.dashboard.json")) as Dashboard;
const queries = dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));
const variables = dashboard.templating.list.flatMap(({ definition }) => definition ?? []);

const exposed = new Set(
  metricsText(metricFamilies(exposedFacts), "prometheus")
    .split("\n")
    .flatMap((line) => /^# TYPE (\S+)/.exec(line)?.[1] ?? []),
);

/** The names of metrics in an expression: words before a brace, and svcm's own names anywhere. */
function metricsIn(expression: string): string[] {
  const withoutTexts = expression.replaceAll(/"[^"]*"/g, '""');
  return [...withoutTexts.matchAll(/\b(?:[\w:]*svcm_[\w:]+|[a-zA-Z_]\w*(?=\{))/g)].map(([name]) => name);
}

function promtool(...args: string[]): object {
  const { status, stdout, stderr } = spawnSync("promtool", args, { encoding: "utf8" });
  return status === 0 ? { status } : { status, stdout, stderr };
}

describe("the metrics of the rules and the dashboard", () => {
  const recorded = rules.flatMap(({ record }) => record ?? []);

  test("are all exposed by /metrics, recorded by a rule, or Prometheus' own", () => {
    const known = new Set([...exposed, ...recorded, ...OF_PROMETHEUS]);
    const used = [...rules.map(({ expr }) => expr), ...queries, ...variables].flatMap(metricsIn);
    expect(used.length).toBeGreaterThan(30);
    expect([...new Set(used)].filter((name) => !known.has(name))).toEqual([]);
  });

  test("of the dashboard need no rule, so it works without them", () => {
    expect([...queries, ...variables].flatMap(metricsIn).filter((name) => recorded.includes(name))).toEqual([]);
  });
});

describe.skipIf(!hasPromtool)("promtool (Debian's package prometheus)", () => {
  test("accepts the configuration and the rules", () => {
    expect(promtool("check", "config", join(EXAMPLES, "prometheus.yml"))).toEqual({ status: 0 });
    expect(promtool("check", "rules", join(EXAMPLES, "svcm.rules.yml"))).toEqual({ status: 0 });
  });

  test("confirms that each alert fires after its hold-off and not before, and that a healthy machine raises no alert", () => {
    expect(promtool("test", "rules", join(FIXTURES, "svcm.rules.test.yml"))).toEqual({ status: 0 });
  });

  test("accepts every query of the dashboard", () => {
    const file = join(temporaryFolder(), "queries.yml");
    const asRules = queries.map((query, at) => ({
      record: `query:${at}`,
      expr: query.replaceAll("$__rate_interval", "1m"),
    }));
    writeFileSync(file, JSON.stringify({ groups: [{ name: "queries", rules: asRules }] }));
    expect(promtool("check", "rules", file)).toEqual({ status: 0 });
  });
});

test("each alert has a case that fires and a case that does not", () => {
  interface Case {
    readonly alertname: string;
    readonly exp_alerts?: readonly unknown[];
  }
  const { tests } = parse(readFileSync(join(FIXTURES, "svcm.rules.test.yml"), "utf8")) as {
    tests: readonly { readonly alert_rule_test: readonly Case[] }[];
  };
  const cases = tests.flatMap(({ alert_rule_test: all }) => all);
  const names = (isFiring: boolean): string[] => [
    ...new Set(cases.filter((one) => (one.exp_alerts !== undefined) === isFiring).map(({ alertname }) => alertname)),
  ];
  const alerts = rules.flatMap(({ alert }) => alert ?? []).toSorted();
  expect(names(true).toSorted()).toEqual(alerts);
  expect(names(false).toSorted()).toEqual(alerts);
});
