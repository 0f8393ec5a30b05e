import { signal, type ReadonlySignal } from "@preact/signals";

/** The tabs, in their order. `#/<id>` is the link to one. */
export const tabIds = [
  "monitoring",
  "environment",
  "pm2",
  "service",
  "targets",
  "interfaces",
  "transfer",
  "audit",
] as const;

export type TabId = (typeof tabIds)[number];

export interface Router {
  readonly tab: ReadonlySignal<TabId>;
  go(tab: TabId): void;
}

/** The tab of a link; the first where it names none. */
export function tabOf(hash: string): TabId {
  const [name] = hash.replace(/^#\/?/, "").split(/[/?]/);
  return tabIds.find((id) => id === name) ?? tabIds[0];
}

export function createRouter(): Router {
  const tab = signal(tabOf(location.hash));
  addEventListener("hashchange", () => void (tab.value = tabOf(location.hash)));
  return {
    tab,
    go(next) {
      if (next === tab.value) return;
      // The event comes later, and another key may come before it.
      tab.value = next;
      location.hash = `#/${next}`;
    },
  };
}
