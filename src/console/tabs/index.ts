/** Each tab is a folder here and a row of this table. */

import type { Facts } from "../data/contract.ts";
import { type TabId, tabIds } from "../state/address.ts";
import type { IconName } from "../ui/Button.tsx";
import { monitorOf } from "./monitoring/monitor.ts";
import { Monitoring } from "./monitoring/Monitoring.tsx";
import type { TabCode } from "./tab-code.ts";
import { signal } from "@preact/signals";
import { createContext } from "preact";
import { useContext } from "preact/hooks";
import { toProblem, type Problem } from "../data/request-error.ts";

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

export type TabCodes = ReturnType<typeof createTabCodes>;

/** The code of the tabs, of which all but the first are loaded when a user opens them, or when the page has time. */
export function createTabCodes() {
  const loaded = signal<ReadonlyMap<TabId, TabCode>>(new Map());
  const problem = signal<Problem | undefined>();
  const pending = new Set<TabId>();
  const load = async (id: TabId): Promise<void> => {
    const { load: code } = tabs[id];
    if (typeof code !== "function" || loaded.peek().has(id) || pending.has(id)) return;
    pending.add(id);
    try {
      const found = (await code())[id];
      problem.value = undefined;
      if (found) loaded.value = new Map([...loaded.peek(), [id, found]]);
    } catch (error) {
      problem.value = toProblem(error);
    } finally {
      pending.delete(id);
    }
  };
  return {
    problem,
    load,
    /** `undefined` until it is loaded. */
    of: (id: TabId): TabCode | undefined => {
      const { load: code } = tabs[id];
      return typeof code === "function" ? loaded.value.get(id) : code;
    },
    async loadAll(): Promise<void> {
      for (const id of tabIds) await load(id);
    },
  };
}

export const CodesContext = createContext<TabCodes | undefined>(undefined);

export function useCodes(): TabCodes {
  const codes = useContext(CodesContext);
  if (codes === undefined) throw new Error("The component is outside of the page.");
  return codes;
}
