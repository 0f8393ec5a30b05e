import { compareText } from "../api/issue.ts";
import type { DriftEntry } from "../api/metrics.ts";
import type { ComparedFacts } from "./compare.ts";
import { decide } from "./decide.ts";
import type { DecidedStep } from "./step.ts";

export interface Drift {
  readonly expectedProcessCount: number;
  readonly missingExpected: string[];
  readonly unexpected: string[];
  readonly drift: DriftEntry[];
  readonly planSteps: number;
}

/** A stopped process has not drifted, because its declaration is the same. @see docs/reference/metrics.md */
export function driftOf(facts: ComparedFacts): Drift {
  const { steps, undeclared } = decide(facts);
  const reasons = steps.flatMap(entriesOf);
  const unexpected = undeclared.map(({ name, pmIds }) => whole(name, "unexpected", pmIds));
  return {
    expectedProcessCount: facts.expected.reduce((sum, { instances }) => sum + instances, 0),
    missingExpected: steps
      .filter((step) => step.do === "start")
      .map(({ app }) => app)
      .toSorted(compareText),
    unexpected: undeclared.map(({ name }) => name),
    planSteps: steps.filter((step) => step.do !== "save").length,
    drift: [...reasons, ...unexpected].toSorted(
      (a, b) => compareText(a.name, b.name) || compareText(a.field, b.field) || compareText(a.key ?? "", b.key ?? ""),
    ),
  };
}

function entriesOf({ app, why }: DecidedStep): DriftEntry[] {
  return why.flatMap(({ state, ...reason }) => (state === "stopped" ? [] : [{ name: app, ...reason, state }]));
}

function whole(name: string, state: "unexpected", pmIds: readonly number[]): DriftEntry {
  return { name, pmIds, field: "app", state, key: null, declared: null, running: null };
}
