import codes from "../../../../config/codes.json" with { type: "json" };
import type { Code } from "../../api/codes.generated.ts";
import { rules as deploymentsRules } from "../../deployments/rules/index.ts";
import { rules as ecosystemRules } from "../../pm2/rules/index.ts";
import { rules as envRules } from "../../env/check-rules.ts";
import { templateRules } from "../../env/template.ts";
import { valueRules } from "../../env/value-rules.ts";
import { doctorRules } from "../doctor/rules.ts";
import { logCareRules } from "../../logs/care/rules.ts";
import { runningRules } from "../doctor/running.ts";
import { stages as startupStages } from "../../startup/rules.ts";
import { daemonRules } from "../../boot/rules-daemon.ts";
import { appRules } from "../../boot/rules-app.ts";
import { listRules } from "../../boot/rules-list.ts";
import { unitRules } from "../../boot/rules-unit.ts";
import type { CodeDoc, CodeDocs, Rule } from "../../findings/rule.ts";

const codeDocs: Readonly<Record<string, CodeDocs>> = codes;

/** Rules document their codes themselves. */
const rules: Readonly<Record<string, readonly Rule<never>[]>> = {
  "The repository": [...Object.values(doctorRules).flat(), ...runningRules],
  "Env files": [...envRules, ...valueRules, ...templateRules],
  "Boot and daemon": [...unitRules, ...listRules, ...appRules, ...daemonRules],
  "Profiles and startup": startupStages.toReversed().flat(),
  Logs: logCareRules,
  "PM2 ecosystem files": ecosystemRules,
  "Deployments document": Object.values(deploymentsRules).flat(),
};

export const catalog: Readonly<Record<string, CodeDocs>> = {
  ...codeDocs,
  ...Object.fromEntries(
    Object.entries(rules).map(([topic, list]) => [topic, { ...codeDocs[topic], ...ruleDocs(list) }]),
  ),
};

export function findCodeDoc(code: string): (CodeDoc & { readonly topic: string }) | undefined {
  for (const [topic, codes] of Object.entries(catalog)) {
    const doc = Object.hasOwn(codes, code) ? codes[code as Code] : undefined;
    if (doc) return { topic, ...doc };
  }
  return undefined;
}

function ruleDocs(list: readonly Rule<never>[]): CodeDocs {
  return Object.fromEntries(list.map(({ code, severity: _severity, check: _check, ...doc }) => [code, doc] as const));
}
