/**
 * The tabs that are loaded after the first one, in one file, because one is smaller than many. The order of the imports is that of the
 * file: gzip finds only what is alike within 32 KB.
 */
import { monitorOf } from "./monitoring/monitor.ts";
import type { TabCode } from "./tab-code.ts";
import type { EntryList } from "../state/entry-list.ts";
import type { Mark } from "../state/router.ts";
import { Activity } from "./activity/Activity.tsx";
import { Nodes } from "./nodes/Nodes.tsx";
import { Logs } from "./logs/Logs.tsx";
import { Plan } from "./plan/Plan.tsx";
import { rolloutOf } from "./plan/rollout.ts";
import { stepText } from "../../core/rollout/report/words.ts";
import { Pm2 } from "./pm2/Pm2.tsx";
import { Transfer } from "./transfer/Transfer.tsx";
import { configurationForm, Service } from "./service/Service.tsx";
import { targetList, Targets } from "./targets/Targets.tsx";
import { editorOf, environmentMark } from "./environment/editor.ts";
import { Environment } from "./environment/Environment.tsx";
import { interfaceList, Interfaces } from "./interfaces/Interfaces.tsx";

export const environment: TabCode = {
  View: Environment,
  mark: environmentMark,
  environment(page) {
    const editor = editorOf(page);
    const names = Object.keys(page.facts.contract.environments);
    return { name: editor.environment.value, names, select: (name) => editor.select(name) };
  },
};
export const activity: TabCode = { View: Activity };
export const logs: TabCode = { View: Logs };
export const plan: TabCode = {
  View: Plan,
  environment: (page) => ({ ...monitorOf(page).choice.value, isFixed: rolloutOf(page).isRunning.value }),
};
export const pm2: TabCode = { View: Pm2 };
export const nodes: TabCode = { View: Nodes };
export const service: TabCode = {
  View: Service,
  mark(page) {
    const { storedIssues, isUnsaved } = configurationForm(page);
    return { errors: storedIssues.value.length > 0 ? 1 : 0, isUnsaved: isUnsaved.value };
  },
};
export const targets: TabCode = { View: Targets, mark: (page) => markOf(targetList(page)) };
export const interfaces: TabCode = { View: Interfaces, mark: (page) => markOf(interfaceList(page)) };
export const transfer: TabCode = { View: Transfer };

/** Monitoring needs it only to approve the plan of a program. */
export { stepText };

function markOf({ verdicts, isUnsaved }: EntryList): Mark {
  return { errors: verdicts.value.filter((issues) => issues.length > 0).length, isUnsaved: isUnsaved.value };
}
