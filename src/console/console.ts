import { createContext } from "preact";
import { useContext } from "preact/hooks";
import { createApi, type Api } from "./data/api.ts";
import type { Facts } from "./data/contract.ts";
import { createAppearance, type Appearance } from "./state/appearance.ts";
import { createChoices, type Choices } from "./state/choices.ts";
import { createRouter, type Router } from "./state/router.ts";
import { watchServer, type ServerWatch } from "./state/server-watch.ts";
import { createSession, type Session } from "./state/session.ts";
import { createShortcuts, type Shortcuts } from "./state/shortcuts.ts";
import { createSuiteStore, type SuiteStore } from "./state/suite-store.ts";
import { createToasts, type Toasts } from "./state/toasts.ts";

/** What the page has before it knows the server's facts. */
export interface Page {
  readonly api: Api;
  readonly session: Session;
  readonly toasts: Toasts;
  readonly router: Router;
  readonly server: ServerWatch;
  readonly shortcuts: Shortcuts;
  readonly appearance: Appearance;
}

/** What every tab works with. */
export interface Console extends Page {
  readonly facts: Facts;
  readonly suite: SuiteStore;
  readonly choices: Choices;
  /** State of a tab that outlives its leaving, until the page is closed: the same value for the same key. */
  readonly kept: <T>(key: string, make: () => T) => T;
}

export function createPage(): Page {
  const session = createSession(
    reachable(() => sessionStorage),
    () => server.identity.value,
  );
  const api = createApi(session, {
    confirm: () => server.confirm(),
    told: (isReached) => server.told(isReached),
  });
  const server = watchServer(api);
  return {
    api,
    session,
    toasts: createToasts((run, ms) => void setTimeout(run, ms)),
    router: createRouter(),
    server,
    shortcuts: createShortcuts(reachable(() => localStorage)),
    appearance: createAppearance(),
  };
}

export function createConsole(page: Page, facts: Facts): Console {
  const storage = reachable(() => localStorage);
  // The facts came from it.
  const server = page.server.identity.value ?? "";
  const suite = createSuiteStore({ storage, vocabulary: facts.vocabulary, server, now: () => Date.now() });
  addEventListener("storage", (event) => suite.onStorage(event));
  const kept = new Map<string, unknown>();
  return {
    ...page,
    facts,
    suite,
    choices: createChoices(storage, server),
    kept<T>(key: string, make: () => T): T {
      if (!kept.has(key)) kept.set(key, make());
      return kept.get(key) as T;
    },
  };
}

/** A browser may close its storage to a page: to look at it throws then. */
function reachable(storage: () => Storage): Storage | undefined {
  try {
    return storage();
  } catch {
    return undefined;
  }
}

export const PageContext = createContext<Page | undefined>(undefined);
export const ConsoleContext = createContext<Console | undefined>(undefined);

/** What the page has, facts loaded or not. */
export function usePage(): Page {
  const page = useContext(PageContext);
  if (page === undefined) throw new Error("There is no page around.");
  return page;
}

/** The console, inside of a tab. */
export function useConsole(): Console {
  const console = useContext(ConsoleContext);
  if (console === undefined) throw new Error("There is no console around.");
  return console;
}
