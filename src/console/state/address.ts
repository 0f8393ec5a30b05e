import { batch, computed, signal, type Signal } from "@preact/signals";

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
export interface Link {
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

export function nodeOf({ parameters }: Pick<Link, "parameters">): string {
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
