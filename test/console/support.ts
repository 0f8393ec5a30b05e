/// <reference lib="dom" />
/** The console as it is built, in a real browser, on a real server. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Page, WebSocket } from "playwright-core";
import { expect, onTestFinished } from "vitest";
import type { useBrowser } from "../browser/support.ts";

const axeSource = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

export interface OpenedConsole {
  readonly page: Page;
  /** What the policy of the page forbade, what failed in it and what it logged. */
  readonly problems: string[];
  readonly requests: string[];
  readonly sockets: WebSocket[];
}

export interface ConsoleOptions {
  /** Of the link, for example `audit`. */
  readonly tab?: string;
  readonly theme?: "light" | "dark";
  /** As on a phone. */
  readonly isPhone?: boolean;
  /** What the browser has stored for the page. */
  readonly stored?: Readonly<Record<string, string>>;
  /** Requests that fail on purpose are logged by the browser: then its words are no problem. */
  readonly mayFail?: boolean;
  /** What the console begins with: the open tab, or another part of it. */
  readonly beginsWith?: string;
}

/** Opens the console and listens. When the test ends it has kept its policy and asked nobody but its server. */
export async function openConsole(
  browser: ReturnType<typeof useBrowser>,
  url: string,
  {
    tab = "",
    theme = "light",
    isPhone = false,
    stored = {},
    mayFail = false,
    beginsWith = "#panel",
  }: ConsoleOptions = {},
): Promise<OpenedConsole> {
  const viewport = isPhone ? { width: 390, height: 844 } : { width: 1280, height: 800 };
  const context = await browser().newContext({ colorScheme: theme, viewport, reducedMotion: "reduce" });
  const page = await context.newPage();
  const opened: OpenedConsole = { page, problems: [], requests: [], sockets: [] };
  page.on("request", (request) => opened.requests.push(request.url()));
  page.on("websocket", (socket) => opened.sockets.push(socket));
  page.on("pageerror", (error) => opened.problems.push(String(error)));
  page.on("console", (message) => {
    if (!(mayFail && message.text().startsWith("Failed to load resource")) && !isOfSocket(message.text(), mayFail)) {
      opened.problems.push(message.text());
    }
  });
  await page.exposeFunction("reportViolation", (directive: string) => opened.problems.push(`CSP ${directive}`));
  await page.addInitScript((entries) => {
    document.addEventListener("securitypolicyviolation", (event) => {
      (window as unknown as { reportViolation(words: string): void }).reportViolation(event.violatedDirective);
    });
    if (sessionStorage.getItem("test.stored") === null) {
      for (const [key, value] of Object.entries(entries)) localStorage.setItem(key, value);
      sessionStorage.setItem("test.stored", "yes");
    }
  }, stored);
  onTestFinished(async () => {
    await context.close();
    expect(opened.problems).toEqual([]);
    const { host } = new URL(url);
    expect(opened.requests.filter((asked) => new URL(asked).host !== host && !asked.startsWith("blob:"))).toEqual([]);
    expect(opened.sockets.map((socket) => new URL(socket.url()).host).filter((asked) => asked !== host)).toEqual([]);
  });
  await page.goto(`${url}/#/${tab}`);
  await page.locator(beginsWith).waitFor();
  return opened;
}

function isOfSocket(words: string, mayFail: boolean): boolean {
  return mayFail && words.startsWith("WebSocket connection to");
}

/** What axe finds wrong with the page as it is now, under its own policy. */
export async function axe(page: Page): Promise<string[]> {
  await page.evaluate(axeSource);
  return page.evaluate(async () => {
    const { axe: engine } = window as unknown as { axe: { run(): Promise<AxeResult> } };
    const { violations } = await engine.run();
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" | ")}`);
  });
}

interface AxeResult {
  readonly violations: readonly { readonly id: string; readonly nodes: readonly { readonly html: string }[] }[];
}

/** Whether the page is wider than the window. */
export function overflow(page: Page): Promise<number> {
  return page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
}

/** The name of what has the focus. */
export function focused(page: Page): Promise<string> {
  return page.evaluate(() => {
    const element = document.activeElement;
    return element?.getAttribute("aria-label") ?? element?.textContent?.trim() ?? "";
  });
}
