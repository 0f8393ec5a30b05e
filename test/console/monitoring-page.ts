/// <reference lib="dom" />
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Locator, Page } from "playwright-core";
import { repository, testServer, type ServerOptions, type TestServer } from "../server/support.ts";
import type { Pm2 } from "../support/pm2-daemon.ts";

export function serverOver(real: Pm2, options: ServerOptions = {}): Promise<TestServer> {
  const env = {
    PM2_HOME: real.home,
    HOME: real.folder,
    PATH: process.env["PATH"],
    SVC_SERVICE_MANAGEMENT_PM2_DIR: `${real.folder}/pm2`,
  };
  return testServer({ ...options, env: { ...env, ...options.env } });
}

/** As `serverOver`, with a short health time in the repository, because each step waits for it. */
export function earlyServerOver(real: Pm2, options: ServerOptions = {}): Promise<TestServer> {
  const files = options.repository ?? repository();
  writeFileSync(join(files.root, "deployments.yaml"), "rollout: { minHealthyTime: 200ms }\n");
  return serverOver(real, { ...options, repository: files });
}

export function row(page: Page, name: string): Locator {
  return page.locator("tbody tr", { has: page.getByRole("button", { name }) });
}

export function names(page: Page): Promise<string[]> {
  return page.locator("tbody .name").allTextContents();
}

/** The column of a value that changes with every sample. */
const UPTIME = 8;

/** Resolves when the page has shown this many new samples. */
export function nextSample(page: Page, count = 1, column = UPTIME): Promise<void> {
  return page.evaluate(
    ([wanted, at]) =>
      new Promise<void>((resolve) => {
        // Without a sample, the page has no row.
        const shown = (): string | undefined => document.querySelector(`tbody tr td:nth-child(${at})`)?.textContent;
        let [before, seen] = [shown(), 0];
        const observer = new MutationObserver(() => {
          const now = shown();
          if (now !== undefined && now !== before) seen += 1;
          before = now;
          if (seen < wanted) return;
          observer.disconnect();
          resolve();
        });
        observer.observe(document.body, { subtree: true, characterData: true, childList: true });
      }),
    [count, column] as const,
  );
}
