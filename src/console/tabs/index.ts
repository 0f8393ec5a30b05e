/** Each tab is a folder here and a row of this table. */

import type { Facts } from "../data/contract.ts";
import type { TabId } from "../state/address.ts";
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
  readonly isOfOneService?: boolean;
  /** The tab shows the server's repository, not the machine of the page. */
  readonly isOfServer?: true;
}

export const tabs: Readonly<Record<TabId, Tab>> = {
  monitoring: {
    label: "Monitoring",
    icon: "activity",
  },
  environment: {
    label: "Runtime environment",
    short: "Environment",
    icon: "sliders",
    isOfOneService: true,
  },
  activity: { label: "Activity", icon: "history" },
  logs: { label: "Logs", icon: "file" },
  plan: { label: "Plan", icon: "plan" },
  pm2: { label: "PM2 preview", short: "PM2", icon: "layers" },
  service: {
    label: "Service configuration",
    isOfServer: true,
    short: "Service",
    icon: "gear",
  },
  targets: {
    label: "Deploy targets",
    isOfServer: true,
    short: "Targets",
    icon: "target",
  },
  interfaces: {
    label: "Interfaces",
    isOfServer: true,
    icon: "plug",
  },
  transfer: {
    label: "Export / import",
    isOfServer: true,
    icon: "transfer",
  },
  nodes: { label: "Nodes", icon: "nodes" },
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

type Codes = Readonly<Partial<Record<TabId, TabCode>>>;

/** Monitoring is the first view, and the code of the others is loaded after it. */
const first: Codes = { monitoring: { View: Monitoring, mark: (page) => monitorOf(page).problemCount.value } };

export function createTabCodes() {
  const codes = signal(first);
  const problem = signal<Problem | undefined>();
  let isPending = false;
  return {
    problem,
    /** `undefined` until it is loaded. */
    of: (id: TabId): TabCode | undefined => codes.value[id],
    async load(): Promise<void> {
      if (isPending || codes.peek() !== first) return;
      isPending = true;
      try {
        codes.value = { ...first, ...(await import("./later.ts")).later };
        problem.value = undefined;
      } catch (error) {
        problem.value = toProblem(error);
      } finally {
        isPending = false;
      }
    },
  };
}

export const CodesContext = createContext<TabCodes | undefined>(undefined);

export function useCodes(): TabCodes {
  const codes = useContext(CodesContext);
  if (codes === undefined) throw new Error("The component is outside of the page.");
  return codes;
}
