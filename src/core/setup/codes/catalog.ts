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
import { bootCodes } from "./boot.ts";
import type { CodeDoc, CodeDocs, Rule } from "../../findings/rule.ts";
import { documentCodes, revisionCodes, sourceCodes } from "./documents.ts";
import { ecosystemCodes } from "./ecosystem.ts";
import { envCodes } from "./env.ts";
import { connectionCodes, fileCodes } from "./files.ts";
import { logCodes } from "./logs.ts";
import { fleetCodes } from "./fleet.ts";
import { processCodes } from "./processes.ts";
import { deployCodes } from "./deploy.ts";
import { proposalCodes } from "./proposals.ts";
import { rolloutCodes } from "./rollout.ts";
import { telemetryCodes } from "./telemetry.ts";
import { requestCodes } from "./requests.ts";
import { profileCodes } from "./profiles.ts";

const codeDocs: Readonly<Record<string, CodeDocs>> = {
  "Env files": envCodes,
  "Files and the system": fileCodes,
  "Profiles and startup": profileCodes,
  "PM2 ecosystem files": ecosystemCodes,
  "Declarative sources": sourceCodes,
  "Deployments document": documentCodes,
  Revisions: revisionCodes,
  Connections: connectionCodes,
  Requests: requestCodes,
  "PM2 and processes": processCodes,
  "Boot and daemon": bootCodes,
  Logs: logCodes,
  "Plans and releases": rolloutCodes,
  Approvals: proposalCodes,
  Deploys: deployCodes,
  Telemetry: telemetryCodes,
  Fleet: fleetCodes,
};

export const catalog: Readonly<Record<string, CodeDocs>> = {
  ...codeDocs,
  "The repository": ruleDocs([...Object.values(doctorRules).flat(), ...runningRules]),
  "Env files": { ...codeDocs["Env files"], ...ruleDocs(envRules), ...ruleDocs(valueRules), ...ruleDocs(templateRules) },
  "Boot and daemon": { ...bootCodes, ...ruleDocs([...unitRules, ...listRules, ...appRules]), ...ruleDocs(daemonRules) },
  "Profiles and startup": { ...codeDocs["Profiles and startup"], ...ruleDocs(startupStages.toReversed().flat()) },
  Logs: { ...codeDocs["Logs"], ...ruleDocs(logCareRules) },
  "PM2 ecosystem files": { ...codeDocs["PM2 ecosystem files"], ...ruleDocs(ecosystemRules) },
  "Deployments document": { ...codeDocs["Deployments document"], ...ruleDocs(Object.values(deploymentsRules).flat()) },
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
