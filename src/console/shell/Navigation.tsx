import type { ComponentChildren, JSX } from "preact";
import { useContext, useRef, useEffect, useLayoutEffect } from "preact/hooks";
import { ConsoleContext, usePage, type Console } from "../console.ts";
import { tabIds, type TabId } from "../state/address.ts";
import type { Mark } from "../state/router.ts";
import { useCodes, type TabCodes, BAR, groups, isOffered, tabs } from "../tabs/index.ts";
import { Icon, type IconName } from "../ui/Button.tsx";
import { useShownEnvironment } from "./shown-environment.ts";

const MORE = "more";

/** On a phone, a bar at the bottom shows the first tabs, and its last button opens the others. */
export function Navigation(): JSX.Element {
  const page = useContext(ConsoleContext);
  const more = useRef<HTMLDivElement>(null);
  const marks = marksOf(page, useCodes());
  useTitle(marks);
  const close = (): void => {
    if (more.current?.matches(":popover-open")) more.current.hidePopover();
  };
  const { node } = usePage().router;
  const offered = (ids: readonly TabId[]): TabId[] => ids.filter((id) => isOffered(id, node, page?.facts));
  const rest = { marks, onOpen: close };
  return (
    <nav class="tabs" aria-label="Console">
      <Group name="Operate">
        <Links label="Operate" ids={groups.Operate.slice(0, BAR)} {...rest} />
      </Group>
      <More marks={marks} />
      <div id={MORE} class="more" popover="auto" ref={more}>
        <div class="group rest">
          <Links label="Operate, more" ids={offered(groups.Operate.slice(BAR))} {...rest} />
        </div>
        <Group name="Declare">
          <Links label="Declare" ids={offered(groups.Declare)} {...rest} />
          {node === "" && (
            <span class="transfer-links">
              <GoTo tab="transfer" class="button ghost small" icon="download" label="Export" onOpen={close} />
              <GoTo tab="transfer" class="button ghost small" icon="upload" label="Import" onOpen={close} />
            </span>
          )}
        </Group>
        <Place />
      </div>
    </nav>
  );
}

type Marks = Readonly<Record<TabId, Mark>>;

function marksOf(page: Console | undefined, codes: TabCodes): Marks {
  const marks = tabIds.map((id) => [id, (page && codes.of(id)?.mark?.(page)) ?? {}] as const);
  return Object.fromEntries(marks) as Record<TabId, Mark>;
}

function Group({ name, children }: { name: keyof typeof groups; children: ComponentChildren }): JSX.Element {
  return (
    <div class={`group ${name.toLowerCase()}`}>
      <h2>{name}</h2>
      {children}
    </div>
  );
}

interface LinksProps {
  readonly label: string;
  readonly ids: readonly TabId[];
  readonly marks: Marks;
  readonly onOpen: () => void;
}

function Links({ label, ids, marks, onOpen }: LinksProps): JSX.Element {
  return (
    <ul aria-label={label}>
      {ids.map((tab) => (
        <li key={tab}>
          <GoTo tab={tab} id={`tab-${tab}`} icon={tabs[tab].icon} mark={marks[tab]} onOpen={onOpen} />
        </li>
      ))}
    </ul>
  );
}

interface GoToProps {
  readonly tab: TabId;
  readonly icon: IconName;
  readonly onOpen: () => void;
  readonly id?: string;
  readonly class?: string;
  readonly label?: string;
  readonly mark?: Mark;
}

/** A link, so that it can be opened in another window or copied. */
function GoTo({ tab, icon, onOpen, label, mark = {}, ...rest }: GoToProps): JSX.Element {
  const { router } = usePage();
  const { label: long, short } = tabs[tab];
  const open = (event: MouseEvent): void => {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    if (router.go(tab)) onOpen();
  };
  return (
    <a href={router.href(tab)} {...rest} {...(tab === router.tab.value && { "aria-current": "page" })} onClick={open}>
      <Icon name={icon} size={17} />
      <span class={short === undefined ? "" : "long"}>{label ?? long}</span>
      {short !== undefined && <span class="short">{short}</span>}
      <MarkView mark={mark} />
    </a>
  );
}

function More({ marks }: { marks: Marks }): JSX.Element {
  const open = usePage().router.tab.value;
  const others = tabIds.filter((id) => !groups.Operate.slice(0, BAR).some((tab) => tab === id));
  return (
    <button
      type="button"
      class="open-more"
      popovertarget={MORE}
      {...(others.includes(open) && { "aria-current": "true" })}
    >
      <Icon name="more" size={17} />
      More
      <MarkView
        mark={{
          errors: others.reduce((sum, id) => sum + (marks[id].errors ?? 0), 0),
          isUnsaved: others.some((id) => marks[id].isUnsaved),
        }}
      />
    </button>
  );
}

function MarkView({ mark: { errors = 0, unknown, isUnsaved = false } }: { mark: Mark }): JSX.Element | null {
  if (errors > 0 || unknown) {
    return (
      <span class="badge error" title={unknown}>
        {countText(errors, unknown)}
        <span class="hidden">
          {" "}
          {errors === 1 ? "error" : "errors"}
          {unknown && `: ${unknown}`}
        </span>
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

/** `3?` is the last known number. */
function countText(errors: number, unknown: string | undefined): string {
  return `${errors > 0 ? errors : ""}${unknown === undefined ? "" : "?"}`;
}

/** The server and its workspace, because consoles of several servers may be open. */
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

function useTitle(marks: Readonly<Record<string, Mark>>): void {
  const { label } = tabs[usePage().router.tab.value];
  const all = Object.values(marks);
  const errors = all.reduce((sum, mark) => sum + (mark.errors ?? 0), 0);
  const count = countText(errors, all.find((mark) => mark.unknown)?.unknown);
  const isUnsaved = all.some((mark) => mark.isUnsaved);
  const whose = useWhose();
  useEffect(() => {
    document.title = `${count && `(${count}) `}${label} · ${whose}`;
    markIcon(count !== "");
  }, [label, count, whose]);
  // Before the next frame, because the user may type and leave at once.
  useLayoutEffect(() => {
    if (!isUnsaved) return;
    const ask = (event: Event): void => event.preventDefault();
    addEventListener("beforeunload", ask);
    return () => removeEventListener("beforeunload", ask);
  }, [isUnsaved]);
}

function useWhose(): string {
  const page = useContext(ConsoleContext);
  const { name = "" } = useShownEnvironment() ?? {};
  if (page === undefined) return "Service Management";
  return `${page.facts.host} ${name}`.trim();
}

function markIcon(hasErrors: boolean): void {
  const icon = document.querySelector<HTMLLinkElement>("link[rel=icon]");
  if (icon === null) return;
  const { plain = icon.getAttribute("href") ?? "" } = icon.dataset;
  icon.dataset["plain"] = plain;
  const marked = document.querySelector<HTMLMetaElement>("meta[name=icon-error]")?.content;
  icon.href = hasErrors ? (marked ?? plain) : plain;
}
