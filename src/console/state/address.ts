import { type Signal, batch, computed, effect, signal } from "@preact/signals";

/** In order; `#/<id>` is the link to a tab. */
export const tabIds = [
  "monitoring",
  "environment",
  "activity",
  "logs",
  "plan",
  "pm2",
  "service",
  "targets",
  "interfaces",
  "transfer",
  "nodes",
] as const;

export type TabId = (typeof tabIds)[number];

/** Tab names in links of earlier versions. */
const renamedTabs: Readonly<Record<string, TabId>> = { audit: "activity" };

/** A link of the console, for example `#/monitoring?service=orders&sort=-cpu`. */
interface Link {
  readonly tab: TabId;
  readonly parameters: readonly (readonly [name: string, value: string])[];
}

export function parseLink(hash: string): Link {
  const [path = "", query = ""] = hash.replace(/^#\/?/, "").split("?", 2);
  const [name = ""] = path.split("/");
  const tab = tabIds.find((id) => id === (renamedTabs[name] ?? name)) ?? tabIds[0];
  return { tab, parameters: [...new URLSearchParams(query)] };
}

export function formatLink({ tab, parameters }: Link): string {
  const query = new URLSearchParams(parameters.map(([name, value]) => [name, value])).toString();
  return `#/${tab}${query === "" ? "" : `?${query}`}`;
}

function nodeOf({ parameters }: Pick<Link, "parameters">): string {
  return parameters.find(([name]) => name === "node")?.[1] ?? "";
}

export interface AddressPart {
  readonly name: string;
  /** A part without a tab belongs to the whole page. */
  readonly tab?: TabId;
  /** The values in the address; an empty list omits the part. Reads signals. */
  read(): readonly string[];
  write(values: readonly string[]): void;
}

/** The default is left out of the address. An invalid value counts as the default. */
export function textPart(
  part: Pick<AddressPart, "name" | "tab">,
  state: Signal<string>,
  { fallback = "", accepts = () => true }: { fallback?: string; accepts?: (value: string) => boolean } = {},
): AddressPart {
  return {
    ...part,
    read: () => (state.value === fallback ? [] : [state.value]),
    write: ([value = fallback]) => void (state.value = accepts(value) ? value : fallback),
  };
}

/** A part that always has a value and that the page selects itself. An empty value is left out of the address. */
export function selectionPart(
  part: Pick<AddressPart, "name" | "tab">,
  selected: () => string,
  select: (value: string) => void,
): AddressPart {
  return {
    ...part,
    read: () => [selected()].filter(Boolean),
    write([value]) {
      if (value !== undefined) select(value);
    },
  };
}

/**
 * The state of the page as a link. A link with parameters is exact: what it does not name gets its default. A link
 * without parameters opens its tab as it was left.
 *
 * @param first the link that opened the page
 */
export function createAddress(first: Link, tab: Signal<TabId>) {
  const parts = signal<readonly AddressPart[]>([]);
  const lastLink = signal<Link | undefined>(first);
  return {
    link: computed((): Link => {
      const visible = parts.value.filter((part) => belongsTo(part, tab.value));
      const visibleNames = new Set(visible.map(({ name }) => name));
      const pending = lastLink.value?.tab === tab.value ? lastLink.value.parameters : [];
      return {
        tab: tab.value,
        parameters: [
          ...visible.flatMap((part) => part.read().map((value) => [part.name, value] as const)),
          ...pending.filter(([name]) => !visibleNames.has(name)),
        ],
      };
    }),
    add: (...added: readonly AddressPart[]): void => {
      const link = lastLink.peek();
      if (link) for (const part of added) applyLink(part, link);
      parts.value = [...parts.value, ...added];
    },
    take: (link: Link): void =>
      batch(() => {
        tab.value = link.tab;
        lastLink.value = link;
        for (const part of parts.peek()) applyLink(part, link);
      }),
    open: (id: TabId): void =>
      batch(() => {
        tab.value = id;
        lastLink.value = undefined;
      }),
  };
}

function belongsTo(part: AddressPart, tab: TabId): boolean {
  return part.tab === undefined || part.tab === tab;
}

function applyLink(part: AddressPart, { tab, parameters }: Link): void {
  if (!belongsTo(part, tab) || parameters.length === 0) return;
  part.write(parameters.flatMap(([name, value]) => (name === part.name ? [value] : [])));
}

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
