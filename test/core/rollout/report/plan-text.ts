import type { Plan, PlanStep } from "../../../../src/core/api/rollout.ts";

export function makePlan(more: Partial<Plan> = {}): Plan {
  return {
    id: null,
    environment: "dev",
    fileName: "e.config.cjs",
    path: "/srv/e.config.cjs",
    exists: true,
    choices: {},
    git: null,
    pm2: { home: "/pm2" },
    changed: false,
    steps: [],
    unchanged: [],
    unknown: [],
    undeclared: [],
    held: [],
    leftOut: [],
    issues: [],
    summary: { start: 0, resume: 0, update: 0, scale: 0, replace: 0, remove: 0, register: 0 },
    ...more,
  };
}

export function makeStep(more: Partial<PlanStep> = {}): PlanStep {
  return { do: "update", app: "web", pmIds: [0], disruption: "none", why: [], notes: [], ...more };
}
