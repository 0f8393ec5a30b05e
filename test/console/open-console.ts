/// <reference lib="dom" />
/** The built console in a real browser, in front of the built server and real files. */
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
import type { Browser, Page } from "playwright-core";
import { expect, onTestFinished } from "vitest";
import { serve, type Served } from "../support/svcm.ts";

export interface OpenConsole {
  readonly page: Page;
  readonly server: Served;
  /** Each write that left the page: its headers and body. */
  readonly posts: { readonly ifMatch: string | undefined; readonly body: unknown }[];
  /** The text of every answer that reached the browser. */
  readonly received: () => Promise<string>;
  /** What the policy stopped, what the page threw and what it logged; answers that are refusals left out. */
  readonly problems: string[];
}

interface Options {
  readonly root: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly view?: Parameters<Browser["newPage"]>[0];
}

export async function openConsole(browser: Browser, tab: string, options: Options): Promise<OpenConsole> {
  const server = await serve(options);
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 }, ...options.view });
  onTestFinished(() => page.close());
  const posts: OpenConsole["posts"] = [];
  const problems: string[] = [];
  const answers: Promise<string>[] = [];
  page.on("request", (request) => {
    if (request.method() !== "POST") return;
    posts.push({ ifMatch: request.headers()["if-match"], body: request.postDataJSON() as unknown });
  });
  page.on("response", (response) => {
    answers.push(response.text().then((text) => `${JSON.stringify(response.headers())}\n${text}`, String));
  });
  page.on("pageerror", (error) => problems.push(String(error)));
  page.on("console", (message) => {
    if (!message.text().startsWith("Failed to load resource")) problems.push(message.text());
  });
  await page.exposeFunction("report", (directive: string) => problems.push(directive));
  await page.addInitScript(() => {
    document.addEventListener("securitypolicyviolation", (event) => {
      (window as unknown as { report(directive: string): void }).report(event.violatedDirective);
    });
  });
  await page.goto(`${server.url}/#/${tab}`);
  const received = async (): Promise<string> => (await Promise.all(answers)).join("\n");
  return { page, server, posts, received, problems };
}

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** What axe finds in the page as it stands, under the page's own policy. */
export async function violationsOf(page: Page): Promise<string[]> {
  await page.evaluate(axe);
  return page.evaluate(async () => {
    const { run } = (window as unknown as { axe: { run(): Promise<{ violations: Violation[] }> } }).axe;
    interface Violation {
      readonly id: string;
      readonly nodes: { readonly target: unknown[] }[];
    }
    const { violations } = await run();
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(" ")).join(", ")}`);
  });
}

export const looks = (["light", "dark"] as const).flatMap((colorScheme) => [
  { colorScheme, viewport: { width: 390, height: 844 } },
  { colorScheme, viewport: { width: 1280, height: 800 } },
]);

/** No finding of axe, nothing that the policy stopped, and no wider than the screen. */
export async function expectAccessible({ page, problems }: OpenConsole): Promise<void> {
  expect(await violationsOf(page)).toEqual([]);
  expect(problems).toEqual([]);
  const width = page.viewportSize()?.width;
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
}
