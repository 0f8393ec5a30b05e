/**
 * The tabs that are loaded after the first one, in one file, because one is smaller than many. The order of the imports is that of the
 * file: gzip finds only what is alike within 32 KB.
 */
import { monitorOf } from "./monitoring/monitor.ts";
import type { TabId } from "../state/address.ts";
import type { TabCode } from "./tab-code.ts";
import type { EntryList } from "../state/entry-list.ts";
import type { Mark } from "../state/router.ts";
import { Activity } from "./activity/Activity.tsx";
import { Logs } from "./logs/Logs.tsx";
import { Nodes } from "./nodes/Nodes.tsx";
import { Plan } from "./plan/Plan.tsx";
import { stepText } from "../../core/rollout/report/words.ts";
import { rolloutOf } from "./plan/rollout.ts";
import { Environment } from "./environment/Environment.tsx";
import { Pm2 } from "./pm2/Pm2.tsx";
import { Transfer } from "./transfer/Transfer.tsx";
import { editorOf, environmentMark } from "./environment/editor.ts";
import { configurationForm, Service } from "./service/Service.tsx";
import { targetList, Targets } from "./targets/Targets.tsx";
import { interfaceList, Interfaces } from "./interfaces/Interfaces.tsx";

/** In one object, because the file is imported as a whole. */
export const later = {
  environment: {
    View: Environment,
    mark: environmentMark,
    environment(page) {
      const editor = editorOf(page);
      const names = Object.keys(page.facts.contract.environments);
      return { name: editor.environment.value, names, select: (name) => editor.select(name) };
    },
  },
  activity: { View: Activity },
  logs: { View: Logs },
  plan: {
    View: Plan,
    environment: (page) => ({ ...monitorOf(page).choice.value, isFixed: rolloutOf(page).isRunning.value }),
  },
  pm2: { View: Pm2 },
  nodes: { View: Nodes },
  service: {
    View: Service,
    mark(page) {
      const { storedIssues, isUnsaved } = configurationForm(page);
      return { errors: storedIssues.value.length > 0 ? 1 : 0, isUnsaved: isUnsaved.value };
    },
  },
  targets: { View: Targets, mark: (page) => markOf(targetList(page)) },
  interfaces: { View: Interfaces, mark: (page) => markOf(interfaceList(page)) },
  transfer: { View: Transfer },
} satisfies Record<Exclude<TabId, "monitoring">, TabCode>;

/** Monitoring needs it only to approve the plan of a program. */
export { stepText };

function markOf({ verdicts, isUnsaved }: EntryList): Mark {
  return { errors: verdicts.value.filter((issues) => issues.length > 0).length, isUnsaved: isUnsaved.value };
}
