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
  /** @returns whether the tab is open now */
  go(tab: TabId): boolean;
  /** Asks before the open tab is left; `false` keeps it. @returns takes the question away again */
  guard(mayLeave: () => boolean): () => void;
}

/** The tab of a link; the first where it names none. */
export function tabOf(hash: string): TabId {
  const [name] = hash.replace(/^#\/?/, "").split(/[/?]/);
  return tabIds.find((id) => id === name) ?? tabIds[0];
}

export function createRouter(): Router {
  const tab = signal(tabOf(location.hash));
  let question: (() => boolean) | undefined;
  const open = (next: TabId): boolean => {
    if (next !== tab.value && (question === undefined || question())) tab.value = next;
    return next === tab.value;
  };
  addEventListener("hashchange", () => {
    // The link is another one by now, whichever way it came: one that was refused gets the open tab's again.
    if (!open(tabOf(location.hash))) history.pushState(null, "", `#/${tab.value}`);
  });
  return {
    tab,
    go(next) {
      const isOpen = open(next);
      if (isOpen) location.hash = `#/${next}`;
      return isOpen;
    },
    guard(mayLeave) {
      question = mayLeave;
      return () => {
        if (question === mayLeave) question = undefined;
      };
    },
  };
}
