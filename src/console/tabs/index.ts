/** Each tab is a folder here and a row of this table. */
import type { ComponentType } from "preact";
import type { Console } from "../console.ts";
import type { Facts } from "../data/contract.ts";
import type { TabId } from "../state/address.ts";
import type { Mark } from "../state/router.ts";
import type { EntryList } from "../state/entry-list.ts";
import type { IconName } from "../ui/Icon.tsx";
import { Activity } from "./activity/Activity.tsx";
import { environmentMark } from "./environment/editor.ts";
import { Environment } from "./environment/Environment.tsx";
import { interfaceList, Interfaces } from "./interfaces/Interfaces.tsx";
import { monitorOf } from "./monitoring/monitor.ts";
import { Monitoring } from "./monitoring/Monitoring.tsx";
import { Nodes } from "./nodes/Nodes.tsx";
import { Plan } from "./plan/Plan.tsx";
import { Pm2 } from "./pm2/Pm2.tsx";
import { configurationForm, Service } from "./service/Service.tsx";
import { targetList, Targets } from "./targets/Targets.tsx";
import { Transfer } from "./transfer/Transfer.tsx";

export interface Tab {
  readonly label: string;
  readonly short?: string;
  readonly icon: IconName;
  readonly View: ComponentType;
  readonly isOfOneService?: boolean;
  /** The tab shows the server's repository, not the machine of the page. */
  readonly isOfServer?: true;
  /** Reads signals, so it runs again when they change, even while the tab is closed. */
  readonly mark?: (page: Console) => Mark;
}

export const tabs: Readonly<Record<TabId, Tab>> = {
  monitoring: {
    label: "Monitoring",
    icon: "activity",
    View: Monitoring,
    mark: (page) => ({ errors: monitorOf(page).problemCount.value ?? 0 }),
  },
  environment: {
    label: "Runtime environment",
    short: "Environment",
    icon: "sliders",
    View: Environment,
    isOfOneService: true,
    mark: environmentMark,
  },
  activity: { label: "Activity", icon: "history", View: Activity },
  plan: { label: "Plan", icon: "plan", View: Plan },
  pm2: { label: "PM2 preview", short: "PM2", icon: "layers", View: Pm2 },
  service: {
    label: "Service configuration",
    isOfServer: true,
    short: "Service",
    icon: "gear",
    View: Service,
    mark(page) {
      const { storedIssues, isUnsaved } = configurationForm(page);
      return { errors: storedIssues.value.length > 0 ? 1 : 0, isUnsaved: isUnsaved.value };
    },
  },
  targets: {
    label: "Deploy targets",
    isOfServer: true,
    short: "Targets",
    icon: "target",
    View: Targets,
    mark: (page) => markOf(targetList(page)),
  },
  interfaces: {
    label: "Interfaces",
    isOfServer: true,
    icon: "plug",
    View: Interfaces,
    mark: (page) => markOf(interfaceList(page)),
  },
  transfer: { label: "Export / import", isOfServer: true, icon: "transfer", View: Transfer },
  nodes: { label: "Nodes", icon: "nodes", View: Nodes },
};

/** The number of tabs in the bar of a phone. */
export const BAR = 3;

/** In order. On a phone, the first {@link BAR} are the bar; export and import are buttons of the second group. */
export const groups = {
  Operate: ["monitoring", "environment", "activity", "plan", "nodes"],
  Declare: ["pm2", "service", "targets", "interfaces"],
} as const satisfies Readonly<Record<string, readonly TabId[]>>;

/** Nodes need a fleet, and the page of another machine does not have the server's repository. */
export function isOffered(id: TabId, node: string, facts: Facts | undefined): boolean {
  return id === "nodes" ? node !== "" || (facts?.nodes.length ?? 0) > 0 : node === "" || tabs[id].isOfServer !== true;
}

function markOf({ verdicts, isUnsaved }: EntryList): Mark {
  return { errors: verdicts.value.filter((issues) => issues.length > 0).length, isUnsaved: isUnsaved.value };
}
