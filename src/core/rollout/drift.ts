import { compareText } from "../api/issue.ts";
import type { DriftEntry, UnknownPart } from "../api/drift.ts";
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
 * The reasons of a plan, without steps, and those of apps that it leaves alone. An app that should run and does not is
 * missing.
 * @see docs/reference/metrics.md
 */
export function computeDrift(input: ComparisonInput): Drift {
  const { steps, undeclared, unknown, held } = decide(input);
  const reasons = [...steps.flatMap(listEntries), ...held.flatMap(({ name, why }) => listEntries({ app: name, why }))];
  const unexpected = undeclared.map(({ name, pmIds }) => undeclaredEntry(name, "unexpected", pmIds));
  return {
    expectedProcessCount: input.expected.reduce((sum, { instances }) => sum + instances, 0),
    missingExpected: listMissing(input, reasons),
    unexpected: undeclared.map(({ name }) => name),
    unknown,
    planSteps: steps.filter((step) => step.do !== "save").length,
    drift: [...reasons, ...unexpected].toSorted(
      (a, b) => compareText(a.name, b.name) || compareText(a.field, b.field) || compareText(a.key ?? "", b.key ?? ""),
    ),
  };
}

function listEntries({ app, why }: Pick<DecidedStep, "app" | "why">): DriftEntry[] {
  return why.flatMap(({ state, ...reason }) =>
    state === "requested"
      ? []
      : [{ name: app, ...reason, state: state === "stopped" || state === "failing" ? "missing" : state }],
  );
}

/** Apps of which no process does what it should. */
function listMissing({ expected, running }: ComparisonInput, entries: readonly DriftEntry[]): string[] {
  const names = new Set(expected.map(({ name }) => name));
  return [...names]
    .filter((app) => {
      const missing = entries.filter(
        ({ name, field, state }) => name === app && field === "app" && state === "missing",
      );
      const ids = new Set(missing.flatMap(({ pmIds }) => pmIds));
      const processes = running.filter(({ name }) => name === app);
      return missing.length > 0 && processes.every(({ pmId }) => ids.has(pmId));
    })
    .toSorted(compareText);
}

function undeclaredEntry(name: string, state: "unexpected", pmIds: readonly number[]): DriftEntry {
  return { name, pmIds, field: "app", state, key: null, declared: null, running: null };
}
