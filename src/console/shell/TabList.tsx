import type { JSX } from "preact";
import { useContext, useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { ConsoleContext, usePage } from "../console.ts";
import { tabIds, type TabId } from "../state/address.ts";
import type { Mark } from "../state/router.ts";
import { tabs } from "../tabs/index.ts";
import { Icon } from "../ui/Icon.tsx";

const STEPS: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 };

/** The tabs: one stop for the Tab key, and arrow keys go through them. */
export function TabList(): JSX.Element {
  const { router } = usePage();
  const page = useContext(ConsoleContext);
  const list = useRef<HTMLDivElement>(null);
  const open = router.tab.value;
  const marks = tabIds.map((id): Mark => (page && tabs[id].mark?.(page)) ?? {});
  useTitle(open, marks);
  useEffect(() => showTab(list.current, open), [open]);
  const onKeyDown = (event: KeyboardEvent): void => {
    const next = tabAfter(open, event.key);
    if (next === undefined) return;
    event.preventDefault();
    if (router.go(next)) list.current?.querySelector<HTMLElement>(`#tab-${next}`)?.focus();
  };
  return (
    <nav class="tabs" aria-label="Console">
      <div role="tablist" aria-label="Tabs" aria-orientation="vertical" ref={list} onKeyDown={onKeyDown}>
        {tabIds.map((id, at) => (
          <button
            key={id}
            type="button"
            role="tab"
            id={`tab-${id}`}
            aria-selected={id === open}
            {...(id === open && { "aria-controls": "panel" })}
            tabIndex={id === open ? 0 : -1}
            onClick={() => void router.go(id)}
          >
            <Icon name={tabs[id].icon} size={17} />
            <span>{tabs[id].label}</span>
            <MarkView mark={marks[at] ?? {}} />
          </button>
        ))}
      </div>
      <Place />
    </nav>
  );
}

function MarkView({ mark: { errors = 0, isUnsaved = false } }: { mark: Mark }): JSX.Element | null {
  if (errors > 0) {
    return (
      <span class="badge error">
        {errors}
        <span class="hidden"> {errors === 1 ? "error" : "errors"}</span>
      </span>
    );
  }
  if (!isUnsaved) return null;
  return (
    <span class="unsaved">
      <span class="hidden">not saved</span>
    </span>
  );
}

/** The server and its workspace: the consoles of several servers may be open. */
function Place(): JSX.Element {
  const version = usePage().server.version.value;
  const root = useContext(ConsoleContext)?.facts.workspace.root;
  return (
    <p class="place">
      {root !== undefined && (
        <>
          <span>Workspace</span>
          <code>{root}</code>
        </>
      )}
      <span>{location.host}</span>
      {version !== undefined && <code>svcm {version}</code>}
    </p>
  );
}

/** Marks the tab of the browser: errors in title and icon, and a question before unsaved changes are lost. */
function useTitle(open: TabId, marks: readonly Mark[]): void {
  const errors = marks.reduce((sum, mark) => sum + (mark.errors ?? 0), 0);
  const isUnsaved = marks.some((mark) => mark.isUnsaved);
  useEffect(() => {
    document.title = `${errors > 0 ? `(${errors}) ` : ""}${tabs[open].label} · Service Management`;
    const icon = document.querySelector<HTMLLinkElement>("link[rel=icon]");
    const { plain = icon?.getAttribute("href") ?? "" } = icon?.dataset ?? {};
    if (icon === null) return;
    icon.dataset["plain"] = plain;
    icon.href =
      errors > 0 ? (document.querySelector<HTMLMetaElement>("meta[name=icon-error]")?.content ?? plain) : plain;
  }, [open, errors]);
  // Set before the next frame, for a user who types and leaves at once.
  useLayoutEffect(() => {
    if (!isUnsaved) return;
    const ask = (event: Event): void => event.preventDefault();
    addEventListener("beforeunload", ask);
    return () => removeEventListener("beforeunload", ask);
  }, [isUnsaved]);
}

/** Scrolls the open tab into sight on a phone, without moving the page. */
function showTab(list: HTMLElement | null, open: TabId): void {
  const tab = list?.querySelector<HTMLElement>(`#tab-${open}`);
  if (!list || !tab) return;
  const left = tab.offsetLeft - list.offsetLeft;
  if (left < list.scrollLeft || left + tab.offsetWidth > list.scrollLeft + list.clientWidth) {
    list.scrollLeft = left - 16;
  }
}

function tabAfter(open: TabId, key: string): TabId | undefined {
  if (key === "Home") return tabIds[0];
  if (key === "End") return tabIds.at(-1);
  const step = STEPS[key];
  if (step === undefined) return undefined;
  return tabIds[(tabIds.indexOf(open) + step + tabIds.length) % tabIds.length];
}
