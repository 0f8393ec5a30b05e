import { effect, signal } from "@preact/signals";
import { createAddress, formatLink, parseLink, nodeOf, type AddressPart, type Link, type TabId } from "./address.ts";

export interface Mark {
  readonly errors?: number;
  /** Why the number cannot be known now; it is the last known one. */
  readonly unknown?: string;
  readonly isUnsaved?: boolean;
}

export type Router = ReturnType<typeof createRouter>;

function writeHash(link: Link): void {
  const next = formatLink(link);
  const [, named = link.tab] = /^#\/([\w-]+)/.exec(location.hash) ?? [];
  if (next !== formatLink(parseLink(location.hash)) || named !== link.tab)
    history.replaceState(history.state, "", next);
}

function createGuard() {
  let question: (() => boolean) | undefined;
  return {
    mayLeave: (): boolean => question === undefined || question(),
    /** @returns a function that removes the question */
    guard(leave: () => boolean): () => void {
      question = leave;
      return () => {
        if (question === leave) question = undefined;
      };
    },
  };
}

function followHash({ link, take }: ReturnType<typeof createAddress>, mayLeave: () => boolean): void {
  const [next, now] = [parseLink(location.hash), link.value];
  // A page has the state of one machine, so another machine needs a new page.
  const isElsewhere = next.parameters.length > 0 && nodeOf(next) !== nodeOf(now);
  const isSameTab = !isElsewhere && next.tab === now.tab;
  // The address has already changed, but the tab stays open.
  if (!isSameTab && !mayLeave()) return history.pushState(null, "", formatLink(now));
  if (isElsewhere) return location.reload();
  take(next);
  // A part may refuse its value.
  writeHash(link.value);
}

export function createRouter() {
  const first = parseLink(location.hash);
  const tab = signal(first.tab);
  const address = createAddress(first, tab);
  const guard = createGuard();
  const node = nodeOf(first);
  address.add({ name: "node", read: () => [node].filter(Boolean), write: () => undefined });
  effect(() => writeHash(address.link.value));
  addEventListener("hashchange", () => followHash(address, guard.mayLeave));
  return {
    tab,
    /** Empty for the machine of the server. */
    node,
    link: address.link,
    href: (id: TabId, ...parameters: Link["parameters"]): string =>
      formatLink({ tab: id, parameters: node === "" ? parameters : [["node", node], ...parameters] }),
    keep: (...parts: readonly AddressPart[]): void => address.add(...parts),
    /** The next change of the address is one that Back undoes. */
    remember: (): void => history.pushState(null, "", location.href),
    /** @returns whether the tab is open now */
    go(next: TabId): boolean {
      if (next === tab.value) return true;
      if (!guard.mayLeave()) return false;
      this.remember();
      address.open(next);
      return true;
    },
    ...guard,
  };
}
