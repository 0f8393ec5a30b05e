import { signal } from "@preact/signals";

/** The tabs in their order. `#/<id>` is the link to one. */
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

export interface Mark {
  readonly errors?: number;
  readonly isUnsaved?: boolean;
}

/** The tab of a link; the first one if the link names no tab. */
export function tabOf(hash: string): TabId {
  const [name] = hash.replace(/^#\/?/, "").split(/[/?]/);
  return tabIds.find((id) => id === name) ?? tabIds[0];
}

export type Router = ReturnType<typeof createRouter>;

export function createRouter() {
  const tab = signal(tabOf(location.hash));
  let mayLeave: (() => boolean) | undefined;
  const open = (next: TabId): boolean => {
    if (next !== tab.value && (mayLeave === undefined || mayLeave())) tab.value = next;
    return next === tab.value;
  };
  addEventListener("hashchange", () => {
    // The address has changed already: if the tab stays open, its link is restored.
    if (!open(tabOf(location.hash))) history.pushState(null, "", `#/${tab.value}`);
  });
  return {
    tab,
    /** @returns whether the tab is open now */
    go(next: TabId): boolean {
      const isOpen = open(next);
      if (isOpen) location.hash = `#/${next}`;
      return isOpen;
    },
    /** Asks `question` before the open tab is left. @returns a function that removes the question */
    guard(question: () => boolean): () => void {
      mayLeave = question;
      return () => {
        if (mayLeave === question) mayLeave = undefined;
      };
    },
  };
}
