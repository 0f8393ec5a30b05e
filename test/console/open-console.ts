/// <reference lib="dom" />
/** Opens the built console in a real browser on a real server, and checks it until the test ends. */
import { hostname } from "node:os";
import type { BrowserContext, Dialog, Locator, Page, Request, WebSocket } from "playwright-core";
import { expect, onTestFinished } from "vitest";
import type { useBrowser } from "../browser/support.ts";
import { STRICT_POLICY } from "../support/strict-policy.ts";

export type Browser = ReturnType<typeof useBrowser>;

export interface OpenedConsole {
  readonly page: Page;
  readonly url: string;
  /**
   * Violations of the page's policy, failures, logged lines and alerts. The list must be empty when the test ends, so a test
   * that causes an entry removes it.
   */
  readonly problems: string[];
  /** Requests to another host. The list is empty when the test ends, including blocked requests. */
  readonly requests: Request[];
  readonly sockets: readonly WebSocket[];
  readonly posts: readonly Post[];
  readonly questions: readonly string[];
  /** Sets the answer to all later confirmations; initially yes. */
  readonly answer: (yes: boolean) => void;
  /** Answers only the next confirmation, and resolves with its text. */
  readonly answerNext: (yes: boolean) => Promise<string>;
  /** Every byte that the browser received with `isRecorded`: headers, bodies and frames. */
  readonly received: () => Promise<string>;
  readonly field: (label: string) => Locator;
  readonly button: (name: string) => Locator;
  readonly tab: (name: string) => Locator;
}

export interface Post {
  readonly ifMatch: string | undefined;
  readonly body: unknown;
}

export function titleOf(label: string, environment = "dev"): string {
  return `${label} · ${hostname()} ${environment}`;
}

export const SIZES = { wide: { width: 1280, height: 800 }, phone: { width: 390, height: 844 } };

export interface ConsoleOptions {
  readonly theme?: "light" | "dark";
  /** 390 pixels wide instead of 1280. */
  readonly isPhone?: boolean;
  /** Touch instead of a mouse. */
  readonly isTouch?: boolean;
  /** The fragment, for example `audit`. */
  readonly tab?: string;
  readonly stored?: Readonly<Record<string, string>>;
  /** The browser logs requests that fail on purpose; these lines are not reported as problems. */
  readonly mayFail?: boolean;
  /** The first part of the console to wait for; by default the open tab. */
  readonly beginsWith?: string;
  /** The time zone, for example `Asia/Tokyo`. */
  readonly timeZone?: string;
  readonly reducedMotion?: "reduce" | "no-preference";
  readonly isRecorded?: boolean;
  /** Runs before anything is loaded. */
  readonly prepare?: (page: Page) => Promise<unknown>;
}

/** Opens the console and records. At the end of the test, it checks the policy and the hosts of all requests. */
export async function openConsole(browser: Browser, url: string, options: ConsoleOptions = {}): Promise<OpenedConsole> {
  const { tab = "", beginsWith = "#panel", prepare, isRecorded = false } = options;
  const context = await contextOf(browser, url, options);
  // Only a hang reaches this limit. It is below the limit of a test, so Playwright reports where it waited.
  context.setDefaultTimeout(100_000);
  const recorded = await listen(context, options.mayFail === true);
  onTestFinished(async () => {
    await context.close();
    expect(recorded.problems).toEqual([]);
    const { host } = new URL(url);
    expect(foreign(recorded.requests, host)).toEqual([]);
    expect(foreign(recorded.sockets, host)).toEqual([]);
  });
  const received = isRecorded ? record(context) : () => Promise.reject(new Error("nothing is recorded"));
  const questions = await answerQuestions(context, recorded.problems);
  const page = await context.newPage();
  await prepare?.(page);
  const answer = await page.goto(`${url}/#/${tab}`);
  expect(answer?.headers()["content-security-policy"]).toBe(STRICT_POLICY);
  await page.locator(beginsWith).first().waitFor();
  return { page, url, ...recorded, ...questions, received, ...finders(page) };
}

function contextOf(browser: Browser, url: string, options: ConsoleOptions): Promise<BrowserContext> {
  const {
    theme = "light",
    isPhone = false,
    isTouch = false,
    stored = {},
    reducedMotion = "reduce",
    timeZone,
  } = options;
  const localStorage = Object.entries(stored).map(([name, value]) => ({ name, value }));
  return browser().newContext({
    colorScheme: theme,
    viewport: isPhone ? SIZES.phone : SIZES.wide,
    reducedMotion,
    hasTouch: isTouch,
    ...(timeZone !== undefined && { timezoneId: timeZone }),
    storageState: { cookies: [], origins: [{ origin: new URL(url).origin, localStorage }] },
    // The certificates of tests are self-signed.
    ignoreHTTPSErrors: true,
  });
}

/** Applies to every page of the context. */
async function listen(context: BrowserContext, mayFail: boolean) {
  const [problems, requests, sockets, posts]: [string[], Request[], WebSocket[], Post[]] = [[], [], [], []];
  context.on("request", (request) => {
    requests.push(request);
    if (request.method() !== "POST") return;
    const isJson = request.headers()["content-type"] === "application/json";
    const body: unknown = isJson ? request.postDataJSON() : request.postData();
    posts.push({ ifMatch: request.headers()["if-match"], body });
  });
  context.on("page", (page) => void page.on("websocket", (socket) => sockets.push(socket)));
  context.on("weberror", (error) => problems.push(String(error.error())));
  context.on("console", (message) => {
    const words = message.text();
    // If PM2 cannot be read, requests for its summary and for a process fail, and the browser logs them.
    const isOfPm2 = /\/api\/runtime\/(?:pm2-metrics|process)\?/.test(message.location().url) && isOfFailure(words);
    if (!isOfLeaving(words) && !isOfPm2 && !(mayFail && isOfFailure(words))) problems.push(words);
  });
  await context.exposeFunction("reportViolation", (words: string) => problems.push(words));
  await context.addInitScript(() => {
    document.addEventListener("securitypolicyviolation", ({ violatedDirective, blockedURI }) => {
      const { reportViolation } = window as unknown as { reportViolation: (words: string) => void };
      reportViolation(`policy: ${violatedDirective} ${blockedURI}`);
    });
  });
  return { problems, requests, sockets, posts };
}

/** The browser logs that a tab was closed before its socket was open. */
function isOfLeaving(words: string): boolean {
  return words.endsWith("WebSocket is closed before the connection is established.");
}

function isOfFailure(words: string): boolean {
  return words.startsWith("Failed to load resource") || words.startsWith("WebSocket connection to");
}

function foreign(sources: readonly { url(): string }[], host: string): string[] {
  return sources.map((one) => one.url()).filter((url) => !url.startsWith("blob:") && new URL(url).host !== host);
}

/** Answers the questions of the browser, and those dialogs of the page that need no typed name. */
async function answerQuestions(context: BrowserContext, problems: string[]) {
  const questions: string[] = [];
  const next: { readonly yes: boolean; resolve(question: string): void }[] = [];
  let isYes = true;
  const decide = (question: string): boolean => {
    questions.push(question);
    const one = next.shift();
    one?.resolve(question);
    return one?.yes ?? isYes;
  };
  context.on("dialog", (dialog: Dialog) => {
    const question = dialog.message();
    if (dialog.type() !== "confirm" && dialog.type() !== "beforeunload") problems.push(`${dialog.type()}: ${question}`);
    void (decide(question) ? dialog.accept() : dialog.dismiss());
  });
  await context.exposeFunction("decideQuestion", decide);
  await context.addInitScript(answerDialogs);
  return {
    questions,
    answer: (yes: boolean) => void (isYes = yes),
    answerNext: (yes: boolean) => new Promise<string>((resolve) => void next.push({ yes, resolve })),
  };
}

/** Runs in the page. */
function answerDialogs(): void {
  const { decideQuestion } = window as unknown as { decideQuestion: (words: string) => Promise<boolean> };
  const answer = async (dialog: Element): Promise<void> => {
    dialog.setAttribute("data-asked", "");
    const isAgreed = await decideQuestion(dialog.querySelector("h2")?.textContent ?? "");
    dialog.querySelector<HTMLElement>(`.form-actions button${isAgreed ? "[type=submit]" : ":first-child"}`)?.click();
  };
  new MutationObserver(() => {
    const dialog = document.querySelector("dialog[open]:has(form.question):not([data-asked])");
    if (dialog !== null) void answer(dialog);
  }).observe(document, { subtree: true, childList: true, attributes: true });
}

/** A body must be read immediately, because the browser discards it on navigation. */
function record(context: BrowserContext): () => Promise<string> {
  const bytes: Promise<string>[] = [];
  context.on("response", (response) => {
    bytes.push(response.text().then((text) => `${JSON.stringify(response.headers())}\n${text}`, String));
  });
  context.on("page", (page) => {
    page.on("websocket", (socket) => {
      socket.on("framereceived", ({ payload }) => void bytes.push(Promise.resolve(String(payload))));
    });
  });
  return async () => (await Promise.all(bytes)).join("\n");
}

function finders(page: Page) {
  return {
    field: (label: string) => page.getByLabel(label, { exact: true }),
    button: (name: string) => page.getByRole("button", { name, exact: true }),
    tab: (name: string) => page.getByRole("link", { name }),
  };
}
