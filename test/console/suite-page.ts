/// <reference lib="dom" />
import type { Locator } from "playwright-core";
import { testServer, type TestServer } from "../server/support.ts";
import { openConsole, type Browser, type ConsoleOptions, type OpenedConsole } from "./open-console.ts";

const KEY = "service-management.v1";

export interface SuitePage extends OpenedConsole {
  readonly server: TestServer;
  stored(): Promise<unknown>;
  storedText(): Promise<string | null>;
  entries(): Locator;
}

/** Opens a tab of the console with a stored state: a document, or any text. */
export async function openSuite(
  browser: Browser,
  tab: string,
  before?: Readonly<Record<string, unknown>> | string,
  options: ConsoleOptions = {},
): Promise<SuitePage> {
  const server = await testServer();
  const text = typeof before === "object" ? JSON.stringify(before) : before;
  const stored: Record<string, string> = text === undefined ? {} : { [KEY]: text };
  const opened = await openConsole(browser, server.url, { tab, stored, ...options });
  const { page } = opened;
  const storedText = (): Promise<string | null> => page.evaluate((key) => window.localStorage.getItem(key), KEY);
  return {
    ...opened,
    server,
    storedText,
    stored: async () => JSON.parse((await storedText()) ?? "null") as unknown,
    entries: () => page.locator("ul.entries > li"),
  };
}
