import type { planFormats } from "../../api/names.ts";
import type { Plan } from "../../api/rollout.ts";
import type { Paint } from "../../findings/text.ts";

export async function renderPlan(plan: Plan, format: (typeof planFormats)[number], paint: Paint): Promise<string> {
  if (format === "markdown") return (await import("./text.ts")).renderPlanMarkdown(plan);
  return (await import("./text.ts")).renderPlanText(plan, paint);
}
