import { effect, signal } from "@preact/signals";
import { createAddress, hashOf, linkOf, nodeOf, type AddressPart, type Link, type TabId } from "./address.ts";

export interface Mark {
  readonly errors?: number;
  readonly isUnsaved?: boolean;
}

export type Router = ReturnType<typeof createRouter>;

function show(link: Link): void {
  const next = hashOf(link);
  const [, named = link.tab] = /^#\/([\w-]+)/.exec(location.hash) ?? [];
  if (next !== hashOf(linkOf(location.hash)) || named !== link.tab) history.replaceState(history.state, "", next);
}

/** The question that is asked before the open tab is left. */
function createGuard() {
  let question: (() => boolean) | undefined;
  return {
    mayLeave: (): boolean => question === undefined || question(),
    /** Asks `leave` before the open tab is left. @returns a function that removes the question */
    guard(leave: () => boolean): () => void {
      question = leave;
      return () => {
        if (question === leave) question = undefined;
      };
    },
  };
}

/** Follows the changed address of the page, unless the user wants to stay. */
function follow({ link, take }: ReturnType<typeof createAddress>, mayLeave: () => boolean): void {
  const [next, now] = [linkOf(location.hash), link.value];
  // A page has the state of one machine, so another machine needs a new page.
  const isElsewhere = next.parameters.length > 0 && nodeOf(next) !== nodeOf(now);
  const isSameTab = !isElsewhere && next.tab === now.tab;
  // The address has already changed, but the tab stays open.
  if (!isSameTab && !mayLeave()) return history.pushState(null, "", hashOf(now));
  if (isElsewhere) return location.reload();
  take(next);
  // A part may refuse its value.
  show(link.value);
}

/** The open tab and the address of the page, kept in step. */
export function createRouter() {
  const first = linkOf(location.hash);
  const tab = signal(first.tab);
  const address = createAddress(first, tab);
  const guard = createGuard();
  const node = nodeOf(first);
  address.add({ name: "node", read: () => (node === "" ? [] : [node]), write: () => undefined });
  effect(() => show(address.link.value));
  addEventListener("hashchange", () => follow(address, guard.mayLeave));
  return {
    tab,
    /** The machine that the page is about. Empty: that of the server. */
    node,
    link: address.link,
    /** The link to a tab of this machine. */
    href: (id: TabId, ...parameters: Link["parameters"]): string =>
      hashOf({ tab: id, parameters: node === "" ? parameters : [["node", node], ...parameters] }),
    /** Keeps parts of the state in the address, and restores them from there. */
    keep: (...parts: readonly AddressPart[]): void => address.add(...parts),
    /** @returns whether the tab is open now */
    go(next: TabId): boolean {
      if (next === tab.value) return true;
      if (!guard.mayLeave()) return false;
      // The new entry gets its address when the tab has changed.
      history.pushState(null, "", location.href);
      address.open(next);
      return true;
    },
    ...guard,
  };
}
