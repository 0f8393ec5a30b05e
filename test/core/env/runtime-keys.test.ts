import { expect, test } from "vitest";
import { valueIssue } from "../../../src/core/env/value-rules.ts";
import { assignmentIssues } from "../../../src/core/env/plan.ts";
import { acceptedValues } from "../../../src/core/env/runtime-keys.ts";
import { packagedRuntimeContract } from "../../../src/core/project/facts/packaged.generated.ts";
import type { FormKind, KeySpec } from "../../../src/core/api/facts.ts";

const cases: Readonly<Record<FormKind, { readonly good: readonly string[]; readonly bad: readonly string[] }>> = {
  text: { good: ["eu-west-1", "a b"], bad: ["a\nb", "postgres://u:p@db/x"] },
  boolean: { good: ["true", "False", "0", "off"], bad: ["maybe", "2"] },
  port: { good: ["1", "3000", "65535"], bad: ["0", "65536", "03000", "80a", "-1"] },
  number: { good: ["0.5", "-3", "1e6"], bad: ["1,5", "abc", "0x10"] },
  url: { good: ["https://api.example.com/v1?x=1"], bad: ["api.example.com", "https://u:p@h/"] },
  duration: { good: ["500ms", "15m", "7 days", "3600"], bad: ["soon", "-5s"] },
  size: { good: ["512kb", "10 MiB", "100"], bad: ["big", "10 apples"] },
  email: { good: ["ops@example.com", "Ops <ops@example.com>"], bad: ["ops", "a@b@c"] },
  path: { good: ["./uploads", "/var/lib/app"], bad: ["a\u0000b"] },
  list: { good: ["a,b", "one"], bad: ["a\tb"] },
  json: { good: ['{"a":1}', "[1]"], bad: ["{a:1}"] },
  cron: {
    good: [
      "0 3 * * *",
      "@daily",
      "*/5 * * * * *",
      "0 9-17 * jan-mar MON-FRI",
      "0,30 0 1,15 * 7",
      "0 0 L * 5#2",
      "0 0 ? * 5L",
    ],
    bad: ["every day", "* * *", "0 0 * * 8", "60 * * * *", "0 24 * * *", "0 0 0 * *", "0 0 * 13 *", "*/0 * * * *"],
  },
};

test.each(Object.entries(cases))(
  "a key of kind %s accepts its format, refuses other values and says what it accepts",
  (kind, { good, bad }) => {
    const spec = { kind: kind as FormKind, tier: "editable", help: "", label: "KEY" } satisfies KeySpec;
    for (const value of ["", ...good]) expect(valueIssue("KEY", spec, value)).toBeUndefined();
    for (const value of bad) {
      const problem = valueIssue("KEY", spec, value);
      expect(problem?.message).toMatch(/^KEY: .*accepted: ./);
      expect(problem?.accepted).toEqual(acceptedValues(spec));
    }
  },
);

test.each(["text", "url", "list", "json"] as const)(
  "an editable key of kind %s refuses a value that looks like a secret, and does not quote it",
  (kind) => {
    const spec = { kind, tier: "editable", help: "", label: "KEY" } satisfies KeySpec;
    const problem = valueIssue("KEY", spec, "https://hooks.slack.com/services/T0CANARY/B0CANARY/canarycanarycanary1");
    expect(problem?.code).toBe("ENV_VALUE_CREDENTIALS");
    expect(JSON.stringify(problem)).not.toContain("canarycanary");
  },
);

test.each([
  ["number", false],
  ["port", false],
  ["boolean", false],
  ["url", false],
  ["json", false],
  ["text", true],
  ["list", true],
  ["path", true],
] as const)("an empty value of the kind %s is written: %s", (kind, isWritten) => {
  const contractWith = (spec: object) =>
    ({ ...packagedRuntimeContract, keys: { A: { kind, tier: "editable", ...spec } } }) as never;
  const issuesOf = (spec: object): number => assignmentIssues(contractWith(spec), { A: "" }, "refuse").length;
  expect(issuesOf({})).toBe(isWritten ? 0 : 1);
  expect(issuesOf({ required: false })).toBe(0);
});
