/// <reference lib="dom" />
/** The console in a real browser over the real built server, and what its storage holds. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Locator, Page } from "playwright-core";
import { onTestFinished } from "vitest";
import type { useBrowser } from "../browser/support.ts";
import { testServer, type TestServer } from "../server/support.ts";

const KEY = "service-management.v1";
const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

export type Stored = Readonly<Record<string, unknown>>;

export interface SuitePage {
  readonly page: Page;
  readonly server: TestServer;
  /** Everything that the policy stopped, the console printed or a script threw. */
  readonly problems: readonly string[];
  /** What `window.confirm` asked so far. */
  readonly asked: readonly string[];
  /** How the next questions are answered. */
  answer(yes: boolean): void;
  /** The stored text, parsed. */
  stored(): Promise<unknown>;
  storedText(): Promise<string | null>;
  field(label: string): Locator;
  button(name: string): Locator;
  /** The entries of the list, in their order. */
  entries(): Locator;
  axe(): Promise<string[]>;
}

type Options = Parameters<ReturnType<ReturnType<typeof useBrowser>>["newPage"]>[0];

/** Opens a tab of the console with a stored state: a document, or any text. */
export async function openSuite(
  browser: ReturnType<typeof useBrowser>,
  tab: string,
  before?: Stored | string,
  options: Options = {},
): Promise<SuitePage> {
  const server = await testServer();
  const text = typeof before === "object" ? JSON.stringify(before) : before;
  const localStorage = text === undefined ? [] : [{ name: KEY, value: text }];
  const storageState = { cookies: [], origins: [{ origin: server.url, localStorage }] };
  const context = await browser().newContext({ acceptDownloads: true, storageState, ...options });
  onTestFinished(() => context.close());
  const page = await context.newPage();
  const [problems, asked]: [string[], string[]] = [[], []];
  let isYes = true;
  page.on("console", (message) => problems.push(message.text()));
  page.on("pageerror", (error) => problems.push(String(error)));
  page.on("dialog", (dialog) => {
    asked.push(dialog.message());
    void (isYes ? dialog.accept() : dialog.dismiss());
  });
  await page.goto(`${server.url}/#/${tab}`);
  await page.locator("#panel h1").waitFor();
  const storedText = (): Promise<string | null> => page.evaluate((key) => window.localStorage.getItem(key), KEY);
  return {
    page,
    server,
    problems,
    asked,
    answer: (yes) => void (isYes = yes),
    storedText,
    stored: async () => JSON.parse((await storedText()) ?? "null") as unknown,
    field: (label) => page.getByLabel(label, { exact: true }),
    button: (name) => page.getByRole("button", { name, exact: true }),
    entries: () => page.locator("ul.entries > li"),
    axe: () => faults(page),
  };
}

/** What axe finds, under the policy of the page: the script is evaluated, never injected. */
async function faults(page: Page): Promise<string[]> {
  await page.evaluate(AXE);
  return page.evaluate(async () => {
    const { axe } = window as unknown as { axe: { run(): Promise<{ violations: Violation[] }> } };
    interface Violation {
      readonly id: string;
      readonly nodes: readonly { readonly html: string }[];
    }
    const { violations } = await axe.run();
    return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id} ${html}`));
  });
}

/** Both themes, wide and on a phone. */
export const looks = [
  ["light", 1280],
  ["dark", 1280],
  ["light", 390],
  ["dark", 390],
] as const;

export function look([colorScheme, width]: (typeof looks)[number]): Options {
  return { colorScheme, viewport: { width, height: 844 } };
}

/** Where the focus is: the entry's number, or the label or text of a control. */
export function focusIn({ page }: SuitePage): Promise<string> {
  return page.evaluate(() => {
    const element = document.activeElement as HTMLElement & { labels?: NodeListOf<HTMLElement> };
    return element.dataset["entry"] ?? element.labels?.[0]?.textContent ?? element.textContent ?? "";
  });
}
