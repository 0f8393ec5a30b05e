import { signal, type Signal } from "@preact/signals";
import { DocumentStore } from "./state/document-store.ts";
import { useContext } from "preact/hooks";
import { type Api, createApi } from "./data/api.ts";
import type { Facts } from "./data/contract.ts";
import { createSession, type Session } from "./state/session.ts";
import {
  type Preferences,
  type Theme,
  applyTheme,
  createPreferences,
  storeTheme,
  storedTheme,
} from "./state/preferences.ts";
import { Declarations } from "./state/declarations.ts";
import { createShortcuts, type Shortcuts } from "./state/shortcuts.ts";
import { ServerWatch } from "./state/server-watch.ts";
import { type AddressPart, textPart } from "./state/address.ts";
import { createRouter, type Router } from "./state/router.ts";
import { createContext } from "preact";
import { createToasts, type Toasts } from "./state/toasts.ts";
import type { Right } from "../core/api/rights.ts";

export interface Page {
  readonly api: Api;
  readonly session: Session;
  readonly identity: Identity;
  readonly toasts: Toasts;
  readonly router: Router;
  readonly server: ServerWatch;
  readonly questions: Questions;
  readonly shortcuts: Shortcuts;
  readonly appearance: Appearance;
  readonly service: Signal<string>;
  readonly nodeFilter: Signal<string>;
}

export interface Console extends Page {
  readonly facts: Facts;
  readonly store: DocumentStore;
  readonly declarations: Declarations;
  readonly preferences: Preferences;
  /** State that survives closing its tab: the first call for a key creates it. */
  readonly getOrCreate: <T>(key: string, make: () => T) => T;
}

export function createPage(): Page {
  const identity = createIdentity(() => api);
  const session = createSession(
    storageOf(() => sessionStorage),
    () => server.identity.value,
    () => void identity.look(),
  );
  const service = signal("");
  const nodeFilter = signal("");
  const peer = {
    confirm: () => server.confirm(),
    setReachable: (isReachable: boolean) => server.setReachable(isReachable),
  };
  const router = createRouter();
  const api = createApi(session, peer, { service: () => service.peek() || undefined, node: router.node || undefined });
  const server = new ServerWatch(api);
  router.keep(textPart({ name: "find", tab: "nodes" }, nodeFilter));
  return {
    api,
    session,
    identity,
    toasts: createToasts((run, ms) => void setTimeout(run, ms)),
    router,
    server,
    questions: createQuestions(),
    shortcuts: createShortcuts(storageOf(() => localStorage)),
    appearance: createAppearance(),
    service,
    nodeFilter,
  };
}

export function createConsole(page: Page, facts: Facts): Console {
  const storage = storageOf(() => localStorage);
  const server = page.server.identity.peek() ?? "";
  const store = new DocumentStore({ storage, vocabulary: facts.vocabulary, server, now: () => Date.now() });
  const preferences = createPreferences(storage, `${server}${page.router.node}`);
  addEventListener("storage", (event) => store.onStorage(event));
  if (facts.services.length > 1) page.router.keep(servicePart(page));
  void page.identity.look();
  const declarations = new Declarations(page.api, store, preferences);
  // The navigation counts its issues, and another machine does not have it.
  if (page.router.node === "") void declarations.read();
  const states = new Map<string, unknown>();
  return {
    ...page,
    facts,
    store,
    declarations,
    preferences,
    getOrCreate<T>(key: string, make: () => T): T {
      if (!states.has(key)) states.set(key, make());
      return states.get(key) as T;
    },
  };
}

function servicePart({ service, router }: Page): AddressPart {
  return {
    name: "service",
    read: () => [service.value].filter(Boolean),
    write([name = ""]) {
      if (name !== service.peek() && router.mayLeave()) service.value = name;
    },
  };
}

/** If a browser denies a page its storage, reading the property throws. */
function storageOf(storage: () => Storage): Storage | undefined {
  try {
    return storage();
  } catch {
    return undefined;
  }
}

export const PageContext = createContext<Page | undefined>(undefined);
export const ConsoleContext = createContext<Console | undefined>(undefined);

export function usePage(): Page {
  const page = useContext(PageContext);
  if (page === undefined) throw new Error("The component is outside of a page.");
  return page;
}

export function useConsole(): Console {
  const page = useContext(ConsoleContext);
  if (page === undefined) throw new Error("The component is outside of a console.");
  return page;
}

type Identity = ReturnType<typeof createIdentity>;

function createIdentity(api: () => Pick<Api, "me">) {
  const me = signal<Awaited<ReturnType<Api["me"]>>>();
  return {
    me,
    async look(): Promise<void> {
      me.value = await api()
        .me()
        .catch(() => undefined);
    },
    /** Why the page does not offer what needs the right. Without a token, the server asks for one. */
    reasonAgainst(right: Right): string | undefined {
      const { role, rights, actor } = me.value ?? {};
      if (!role || rights?.includes(right) !== false) return undefined;
      return `The token ${actor} has the role ${role}, which does not permit it.`;
    },
  };
}

type Appearance = ReturnType<typeof createAppearance>;

function createAppearance() {
  const theme = signal(storedTheme());
  /** Increases with every change of colours or of the pixel ratio, so that canvases are redrawn. */
  const version = signal(0);
  const redraw = (): void => void (version.value += 1);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
  // A media query matches only one ratio, so each change needs a new query.
  const watchPixels = (): void =>
    matchMedia(`(resolution: ${devicePixelRatio}dppx)`).addEventListener("change", onPixels, { once: true });
  const onPixels = (): void => {
    redraw();
    watchPixels();
  };
  watchPixels();
  return {
    theme,
    version,
    choose(next: Theme): void {
      theme.value = next;
      storeTheme(next);
      applyTheme(next);
      redraw();
    },
  };
}

export interface Question {
  readonly title: string;
  readonly about?: string;
  /** The user types this name to answer, because a click is too easily wrong. */
  readonly name?: string;
  readonly verb: string;
}

export interface OpenQuestion extends Question {
  readonly id: number;
  /** Further calls have no effect. */
  readonly answer: (yes: boolean) => void;
}

type Questions = ReturnType<typeof createQuestions>;

function createQuestions() {
  const open = signal<OpenQuestion | undefined>();
  let ids = 0;
  return {
    open,
    /** @returns whether the user agreed */
    ask(question: Question): Promise<boolean> {
      open.value?.answer(false);
      return new Promise((resolve) => {
        const prompt: OpenQuestion = {
          ...question,
          id: ++ids,
          answer(yes) {
            // A dialog may report its end after the next question has opened.
            if (open.value === prompt) open.value = undefined;
            resolve(yes);
          },
        };
        open.value = prompt;
      });
    },
  };
}
