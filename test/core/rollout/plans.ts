import type { Plan } from "../../../src/core/api/rollout.ts";
import type { ProcessRecord } from "../../../src/core/pm2/process-record.ts";
import type { ComparisonInput } from "../../../src/core/rollout/compare.ts";
import { decide } from "../../../src/core/rollout/decide.ts";
import type { ExpectedApp } from "../../../src/core/rollout/expected.ts";
import { createPlan, type PlanContext } from "../../../src/core/rollout/plan.ts";
import type { DecidedStep } from "../../../src/core/rollout/step.ts";
import { stateOf } from "../../support/process-record.ts";

export function inputOf(expected: readonly ExpectedApp[], running: readonly ProcessRecord[]): ComparisonInput {
  return { expected, running, modifiedMs: () => undefined, visibleKeys: new Set(), missingFolders: new Set(), stateOf };
}

export function planFor(
  expected: readonly ExpectedApp[],
  running: readonly ProcessRecord[],
  more: Partial<Pick<PlanContext, "digest" | "warnings">> = {},
): Plan {
  const input = inputOf(expected, running);
  const about = {
    environment: "dev",
    name: "dev",
    fileName: "e",
    path: "/e",
    exists: true,
    choices: {},
    git: null,
    pm2: null,
    code: [],
    leftOut: [],
  };
  return createPlan(input, decide(input), {
    ...about,
    refused: new Map(),
    conflicts: [],
    undecided: [],
    warnings: [],
    ...more,
  });
}

export const summarise = (steps: readonly DecidedStep[]): string[] =>
  steps.map(({ do: kind, app, method, disruption, why }) =>
    [kind, app, method, disruption, ...why.map(({ field, key, state }) => `${field}${key ? ` ${key}` : ""} ${state}`)]
      .filter(Boolean)
      .join(" "),
  );
