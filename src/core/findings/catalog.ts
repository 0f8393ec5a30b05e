import type { Code } from "../api/codes.generated.ts";
import { rules as deploymentsRules } from "../deployments/rules/index.ts";
import { rules as ecosystemRules } from "../pm2/rules/index.ts";
import { rules as envRules } from "../env/check-rules.ts";
import { templateRules } from "../env/template.ts";
import { valueRules } from "../env/value-rules.ts";
import { doctorRules } from "../project/doctor/index.ts";
import { runningRules } from "../project/doctor/running-rules.ts";
import { stages as startupStages } from "../startup/rules.ts";
import { codeDocs } from "./codes.ts";
import type { CodeDoc, CodeDocs, Rule } from "./rule.ts";

export const catalog: Readonly<Record<string, CodeDocs>> = {
  ...codeDocs,
  "The repository": docsOf([...Object.values(doctorRules).flat(), ...runningRules]),
  "Env files": { ...codeDocs["Env files"], ...docsOf(envRules), ...docsOf(valueRules), ...docsOf(templateRules) },
  "Profiles and startup": { ...codeDocs["Profiles and startup"], ...docsOf(startupStages.toReversed().flat()) },
  "PM2 ecosystem files": { ...codeDocs["PM2 ecosystem files"], ...docsOf(ecosystemRules) },
  "Deployments document": { ...codeDocs["Deployments document"], ...docsOf(Object.values(deploymentsRules).flat()) },
};

export function docOf(code: string): (CodeDoc & { readonly topic: string }) | undefined {
  for (const [topic, codes] of Object.entries(catalog)) {
    const doc = Object.hasOwn(codes, code) ? codes[code as Code] : undefined;
    if (doc) return { topic, ...doc };
  }
  return undefined;
}

function docsOf(list: readonly Rule<never>[]): CodeDocs {
  return Object.fromEntries(list.map(({ code, severity: _severity, check: _check, ...doc }) => [code, doc] as const));
}
