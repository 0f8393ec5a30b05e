/// <reference lib="dom" />
/** The built console in front of the built server and real files, with what it sends and gets. */
import type { Page } from "playwright-core";
import { expect } from "vitest";
import type { useBrowser } from "../browser/support.ts";
import { serve, type Served } from "../support/svcm.ts";
import { axe, openConsole, overflow, type ConsoleOptions } from "./support.ts";

export type Browser = ReturnType<typeof useBrowser>;

export interface ServedConsole {
  readonly page: Page;
  readonly server: Served;
  /** Each write that left the page. */
  readonly posts: { readonly ifMatch: string | undefined; readonly body: unknown }[];
  /** Every answer that reached the browser since it was opened, headers and text. */
  readonly received: () => Promise<string>;
}

export interface ServedOptions extends ConsoleOptions {
  readonly root: string;
  readonly env?: Readonly<Record<string, string>>;
}

export async function servedConsole(browser: Browser, { root, env = {}, ...options }: ServedOptions) {
  const server = await serve({ root, env });
  const { page } = await openConsole(browser, server.url, { mayFail: true, ...options });
  const posts: ServedConsole["posts"] = [];
  const answers: Promise<string>[] = [];
  page.on("request", (request) => {
    if (request.method() !== "POST") return;
    posts.push({ ifMatch: request.headers()["if-match"], body: request.postDataJSON() as unknown });
  });
  page.on("response", (response) => {
    answers.push(response.text().then((text) => `${JSON.stringify(response.headers())}\n${text}`, String));
  });
  const received = async (): Promise<string> => (await Promise.all(answers)).join("\n");
  return { page, server, posts, received } satisfies ServedConsole;
}

export type Look = Required<Pick<ConsoleOptions, "theme" | "isPhone">>;

export const looks: readonly Look[] = (["light", "dark"] as const).flatMap((theme) => [
  { theme, isPhone: true },
  { theme, isPhone: false },
]);

/** No finding of axe under the page's own policy, and no wider than the window. */
export async function expectAccessible({ page }: ServedConsole): Promise<void> {
  expect(await axe(page)).toEqual([]);
  expect(await overflow(page)).toBe(0);
}
