/** The tabs of the daily work, loaded together, because one file is smaller than many. */
import { Activity } from "./activity/Activity.tsx";
import { editorOf, environmentMark } from "./environment/editor.ts";
import { Environment } from "./environment/Environment.tsx";
import { Logs } from "./logs/Logs.tsx";
import { monitorOf } from "./monitoring/monitor.ts";
import { Nodes } from "./nodes/Nodes.tsx";
import { Plan } from "./plan/Plan.tsx";
import { rolloutOf } from "./plan/rollout.ts";
import { Pm2 } from "./pm2/Pm2.tsx";
import type { TabCode } from "./tab-code.ts";

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
