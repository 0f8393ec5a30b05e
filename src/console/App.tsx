import { type Signal, useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useMemo } from "preact/hooks";
import { type Console, ConsoleContext, createConsole, type Page, PageContext, usePage } from "./console.ts";
import { toFacts } from "./data/contract.ts";
import type { Problem } from "./data/request-error.ts";
import { CommandBar } from "./shell/CommandBar.tsx";
import { QuestionDialog, TokenEntry } from "./shell/Dialogs.tsx";
import { HelpSheet } from "./shell/HelpSheet.tsx";
import { ForeignDocument, OtherServer } from "./shell/Identity.tsx";
import { Navigation } from "./shell/Navigation.tsx";
import { Notices } from "./shell/Notices.tsx";
import { type Sheet, TopBar } from "./shell/TopBar.tsx";
import { type TabId, tabIds } from "./state/address.ts";
import { CodesContext, createTabCodes, useCodes } from "./tabs/codes.ts";
import { tabs } from "./tabs/index.ts";
import { Panel } from "./ui/Panel.tsx";
import { RequestProblem } from "./ui/Problem.tsx";
import { Toasts } from "./ui/Toasts.tsx";
import { useRequest } from "./ui/use-request.ts";

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
  useEffect(() => void (code === undefined ? codes.load(id) : codes.loadAll()), [id, code]);
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
      <RequestProblem problem={codes.problem.value} retry={() => void codes.load(id)} />
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
