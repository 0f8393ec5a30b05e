/** Each tab is a folder here and a row of this table. */
import type { Facts } from "../data/contract.ts";
import type { TabId } from "../state/address.ts";
import type { IconName } from "../ui/Icon.tsx";
import { monitorOf } from "./monitoring/monitor.ts";
import { Monitoring } from "./monitoring/Monitoring.tsx";
import type { TabCode } from "./tab-code.ts";

export interface Tab {
  readonly label: string;
  readonly short?: string;
  readonly icon: IconName;
  /** Monitoring is the first view, and the others are loaded after it. */
  readonly load: TabCode | (() => Promise<Partial<Record<TabId, TabCode>>>);
  readonly isOfOneService?: boolean;
  /** The tab shows the server's repository, not the machine of the page. */
  readonly isOfServer?: true;
}

const later = () => import("./later.ts");

export const tabs: Readonly<Record<TabId, Tab>> = {
  monitoring: {
    label: "Monitoring",
    icon: "activity",
    load: { View: Monitoring, mark: (page) => ({ errors: monitorOf(page).problemCount.value ?? 0 }) },
  },
  environment: {
    label: "Runtime environment",
    short: "Environment",
    icon: "sliders",
    load: later,
    isOfOneService: true,
  },
  activity: { label: "Activity", icon: "history", load: later },
  logs: { label: "Logs", icon: "file", load: later },
  plan: { label: "Plan", icon: "plan", load: later },
  pm2: { label: "PM2 preview", short: "PM2", icon: "layers", load: later },
  service: {
    label: "Service configuration",
    isOfServer: true,
    short: "Service",
    icon: "gear",
    load: later,
  },
  targets: {
    label: "Deploy targets",
    isOfServer: true,
    short: "Targets",
    icon: "target",
    load: later,
  },
  interfaces: {
    label: "Interfaces",
    isOfServer: true,
    icon: "plug",
    load: later,
  },
  transfer: {
    label: "Export / import",
    isOfServer: true,
    icon: "transfer",
    load: later,
  },
  nodes: { label: "Nodes", icon: "nodes", load: later },
};

/** The number of tabs in the bar of a phone. */
export const BAR = 3;

/** In order. On a phone, the first {@link BAR} are the bar; export and import are buttons of the second group. */
export const groups = {
  Operate: ["monitoring", "environment", "activity", "logs", "plan", "nodes"],
  Declare: ["pm2", "service", "targets", "interfaces"],
} as const satisfies Readonly<Record<string, readonly TabId[]>>;

/** Nodes need a fleet, and the page of another machine does not have the server's repository. */
export function isOffered(id: TabId, node: string, facts: Facts | undefined): boolean {
  return id === "nodes" ? node !== "" || (facts?.nodes.length ?? 0) > 0 : node === "" || tabs[id].isOfServer !== true;
}
