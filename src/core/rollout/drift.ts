import { compareText } from "../api/issue.ts";
import type { DriftEntry, UnknownPart } from "../api/metrics.ts";
import type { ComparisonInput } from "./compare.ts";
import { decide } from "./decide.ts";
import type { DecidedStep } from "./step.ts";

export interface Drift {
  readonly expectedProcessCount: number;
  readonly missingExpected: string[];
  readonly unexpected: string[];
  readonly drift: DriftEntry[];
  readonly unknown: readonly UnknownPart[];
  readonly planSteps: number;
}

/**
 * The reasons of a plan, without steps. A stopped process has not drifted, because its declaration is the same; a plan
 * starts it again.
 * @see docs/reference/metrics.md
 */
export function computeDrift(input: ComparisonInput): Drift {
  const { steps, undeclared, unknown } = decide(input);
  const reasons = steps.flatMap(listEntries);
  const unexpected = undeclared.map(({ name, pmIds }) => undeclaredEntry(name, "unexpected", pmIds));
  return {
    expectedProcessCount: input.expected.reduce((sum, { instances }) => sum + instances, 0),
    missingExpected: steps
      .filter((step) => step.do === "start")
      .map(({ app }) => app)
      .toSorted(compareText),
    unexpected: undeclared.map(({ name }) => name),
    unknown,
    planSteps: steps.filter((step) => step.do !== "save").length,
    drift: [...reasons, ...unexpected].toSorted(
      (a, b) => compareText(a.name, b.name) || compareText(a.field, b.field) || compareText(a.key ?? "", b.key ?? ""),
    ),
  };
}

function listEntries({ app, why }: DecidedStep): DriftEntry[] {
  return why.flatMap(({ state, ...reason }) =>
    state === "stopped" || state === "requested" ? [] : [{ name: app, ...reason, state }],
  );
}

function undeclaredEntry(name: string, state: "unexpected", pmIds: readonly number[]): DriftEntry {
  return { name, pmIds, field: "app", state, key: null, declared: null, running: null };
}
