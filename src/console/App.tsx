import { type Signal, useSignal } from "@preact/signals";
import type { JSX, ComponentChildren } from "preact";
import { download } from "./data/download.ts";
import { type Console, ConsoleContext, createConsole, type Page, PageContext, usePage } from "./console.ts";
import { toFacts } from "./data/contract.ts";
import type { Problem } from "./data/request-error.ts";
import { CommandBar } from "./shell/CommandBar.tsx";
import { QuestionDialog, TokenEntry } from "./shell/Dialogs.tsx";
import { Navigation } from "./shell/Navigation.tsx";
import { type Sheet, TopBar } from "./shell/TopBar.tsx";
import { type TabId, tabIds } from "./state/address.ts";
import { CodesContext, createTabCodes, useCodes, tabs } from "./tabs/index.ts";
import { Panel, DescriptionList } from "./ui/Card.tsx";
import { RequestProblem, StatusLine, StatusRegion } from "./ui/Problem.tsx";
import { Toasts } from "./ui/Toasts.tsx";
import { useRequest } from "./ui/use-request.ts";
import { type DocumentStore, type UnreadableText, STORAGE_KEY } from "./state/document-store.ts";
import { Button } from "./ui/Button.tsx";
import { Check } from "./ui/Field.tsx";
import { Dialog } from "./ui/Dialog.tsx";
import { useEffect, useMemo, useContext } from "preact/hooks";

export function App({ page }: { page: Page }): JSX.Element {
  const codes = useMemo(createTabCodes, [page]);
  const sheet = useSignal<Sheet>();
  const close = (): void => void (sheet.value = undefined);
  const { answer, problem, retry } = useRequest((signal) => page.api.contract(signal), [page]);
  const loaded = useMemo(() => answer && createConsole(page, toFacts(answer)), [page, answer]);
  useEffect(() => addListeners(page, sheet), [page]);
  return (
    <PageContext.Provider value={page}>
      <CodesContext.Provider value={codes}>
        <ConsoleContext.Provider value={loaded}>
          <a class="skip" href="#panel" onClick={skipToPanel}>
            Skip to the content
          </a>
          <TopBar sheet={sheet} />
          <div class="rail">
            <Navigation />
            <Toasts />
          </div>
          <main>
            <Notices />
            <RequestProblem problem={page.server.isOther.value ? undefined : problem} retry={retry} />
            <Content page={page} loaded={loaded} problem={problem} />
          </main>
          <TokenEntry />
          <QuestionDialog />
          {sheet.value === "help" && <HelpSheet onClose={close} />}
          {sheet.value === "bar" && <CommandBar onClose={close} />}
        </ConsoleContext.Provider>
      </CodesContext.Provider>
    </PageContext.Provider>
  );
}

function Content(props: { page: Page; loaded: Console | undefined; problem: Problem | undefined }): JSX.Element {
  const { page, loaded, problem } = props;
  if (page.server.isOther.value) return <OtherServer root={loaded?.facts.workspace.root} />;
  if (loaded?.store.isForeign.value) return <ForeignDocument store={loaded.store} />;
  // The list of all machines shows even a machine that is away.
  if (loaded || (problem && page.router.tab.value === "nodes")) return <OpenTab />;
  return problem ? <UnavailableTab id={page.router.tab.value} /> : <></>;
}

const DIGITS = 9;

function addListeners({ server, shortcuts, router }: Page, sheet: Signal<Sheet>): () => void {
  void server.check();
  const remove = shortcuts.add(
    { key: "?", label: "Show this help", run: () => void (sheet.value = "help") },
    ...tabIds.slice(0, DIGITS).map((id, at) => ({
      key: String(at + 1),
      label: `Open ${tabs[id].label}`,
      run() {
        if (router.go(id)) requestAnimationFrame(focusPanel);
      },
    })),
  );
  const leaving = new AbortController();
  const { signal } = leaving;
  const onKey = (event: KeyboardEvent): void => {
    if (!(event.ctrlKey || event.metaKey) || event.key !== "k") return shortcuts.onKey(event);
    event.preventDefault();
    if (document.querySelector("dialog[open]") === null) sheet.value = "bar";
  };
  addEventListener("keydown", onKey, { signal });
  document.addEventListener(
    "visibilitychange",
    () => {
      if (document.visibilityState === "visible") void server.check();
    },
    { signal },
  );
  return () => {
    remove();
    leaving.abort();
  };
}

/** Focuses the panel instead of following the hash, because the hash is the link of the tab. */
function skipToPanel(event: Event): void {
  event.preventDefault();
  focusPanel();
}

function focusPanel(): void {
  document.querySelector<HTMLElement>("#panel")?.focus();
}

function OpenTab(): JSX.Element {
  const { router } = usePage();
  const codes = useCodes();
  const tab = router.tab.value;
  // A link may name a tab that another machine does not have.
  const id = router.node !== "" && tabs[tab].isOfServer ? "monitoring" : tab;
  const code = codes.of(id);
  useEffect(() => void codes.load(), [id]);
  return (
    <Panel title={tabs[id].label} class={id}>
      {code === undefined ? <Loading id={id} /> : <code.View key={id} />}
    </Panel>
  );
}

function Loading({ id }: { id: TabId }): JSX.Element {
  const codes = useCodes();
  return (
    <>
      <h1>{tabs[id].label}</h1>
      <RequestProblem problem={codes.problem.value} retry={() => void codes.load()} />
    </>
  );
}

function UnavailableTab({ id }: { id: TabId }): JSX.Element {
  return (
    <Panel title={tabs[id].label}>
      <h1>{tabs[id].label}</h1>
    </Panel>
  );
}

/**
 * Another server responds at the page's address; the page sends it nothing. Forms keep their values until the page is
 * reloaded.
 */
function OtherServer({ root }: { root: string | undefined }): JSX.Element {
  const { server } = usePage();
  return (
    <Question title="Another server answers at this address">
      <p>
        This page was opened on the server of {root === undefined ? "another workspace" : <code>{root}</code>}. A
        different server answers at {location.host} now. The page sends it nothing: no token, no document, no change.
      </p>
      <div class="form-actions">
        <Button onClick={() => void server.check()}>Check again</Button>
        <Button variant="primary" onClick={() => location.reload()}>
          Open the console of this server
        </Button>
      </div>
    </Question>
  );
}

function ForeignDocument({ store }: { store: DocumentStore }): JSX.Element {
  return (
    <Question title="This browser holds the document of another server">
      <p>
        The service configuration, deploy targets and interfaces that are saved for {location.host} belong to another
        server. They stay saved for that server. Choose the document that this server starts with.
      </p>
      <div class="form-actions">
        <Button onClick={() => store.settle("copy")}>A copy of that document</Button>
        <Button variant="primary" onClick={() => store.settle("empty")}>
          An empty document
        </Button>
      </div>
    </Question>
  );
}

function Question({ title, children }: { title: string; children: ComponentChildren }): JSX.Element {
  return (
    <Panel title={title} isFocused>
      <h1>{title}</h1>
      <div class="card stack">{children}</div>
    </Panel>
  );
}

const always = [
  { key: "Ctrl K", label: "Go to an app, a view or a command" },
  { key: "← → Home End", label: "Go through the samples when a chart has the focus" },
  { key: "Enter", label: "Find the events of the focused chart on Activity" },
  { key: "+ −", label: "Zoom in and out of the focused chart" },
  { key: "Esc", label: "Close a dialog, or show the whole range of a chart" },
];

function HelpSheet({ onClose }: { onClose: () => void }): JSX.Element {
  const { shortcuts } = usePage();
  const isOn = shortcuts.isOn.value;
  return (
    <Dialog title="Keyboard shortcuts" onClose={onClose}>
      <DescriptionList
        class="keys"
        items={[...always, ...(isOn ? shortcuts.list.value : [])].map(({ key, label }) => [
          key,
          label,
          <kbd>{key}</kbd>,
        ])}
      />
      <Check checked={isOn} onChange={(isChecked) => shortcuts.turn(isChecked)}>
        Use single-key shortcuts
      </Check>
    </Dialog>
  );
}

function Notices(): JSX.Element {
  const { server } = usePage();
  const store = useContext(ConsoleContext)?.store;
  const newVersion = server.newVersion.value;
  return (
    <StatusRegion>
      {newVersion !== undefined && (
        <StatusLine
          tone="info"
          action={
            <Button size="small" onClick={() => location.reload()}>
              Reload
            </Button>
          }
        >
          The server is svcm {newVersion} now. Reload the page to get its console.
        </StatusLine>
      )}
      {store?.unsaved.value !== undefined && (
        <StatusLine tone="error">Changes are held in this page only. {store.unsaved.value}</StatusLine>
      )}
      {store?.aside.value.map((text) => (
        <Unreadable key={text.key} copy={text} store={store} />
      ))}
    </StatusRegion>
  );
}

function Unreadable({ copy, store }: { copy: UnreadableText; store: DocumentStore }): JSX.Element {
  const { questions } = usePage();
  const drop = async (): Promise<void> => {
    const title = "Remove the text that could not be read? It cannot be restored.";
    if (await questions.ask({ title, verb: "Remove" })) store.dropAside(copy.key);
  };
  const actions = (
    <span class="form-actions">
      <Button size="small" icon="download" onClick={() => download(`${STORAGE_KEY}.unreadable.txt`, copy.text)}>
        Download
      </Button>
      <Button size="small" variant="danger" onClick={() => void drop()}>
        Remove
      </Button>
    </span>
  );
  return (
    <StatusLine tone="error" action={actions}>
      <strong>The saved text could not be read and was kept aside.</strong> {copy.reason}
    </StatusLine>
  );
}
