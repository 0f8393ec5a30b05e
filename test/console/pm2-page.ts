import { cpSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Locator } from "playwright-core";
import { serve } from "../support/svcm.ts";
import { makeWorkspace, type TestWorkspace } from "../support/workspace.ts";
import { openConsole, type Browser, type ConsoleOptions, type OpenedConsole } from "./open-console.ts";

const FIXTURE = join(import.meta.dirname, "../fixtures/ecosystem/repository");

export interface Pm2Page extends OpenedConsole {
  readonly files: TestWorkspace;
  choose(environment: string): Promise<void>;
  app(name: string): Locator;
  command(): Promise<string>;
  refresh(): Promise<void>;
  answered(act: () => Promise<unknown>): Promise<void>;
}

export async function pm2Page(browser: Browser, options: ConsoleOptions = {}): Promise<Pm2Page> {
  const files = makeWorkspace();
  cpSync(FIXTURE, files.root, { recursive: true });
  rmSync(files.path("pm2/ecosystem.production.config.mjs"));
  const { url } = await serve({ root: files.root });
  const opened = await openConsole(browser, url, { tab: "pm2", ...options });
  const { page } = opened;
  const app = (name: string): Locator =>
    page.getByRole("row").filter({ has: page.getByRole("rowheader", { name: new RegExp(`^${name}\\b`) }) });
  await app("svc-dev-grpcapi").waitFor();
  return {
    ...opened,
    files,
    async choose(environment) {
      await page.getByRole("combobox", { name: "Environment", exact: true }).selectOption(environment);
    },
    app,
    command: () => page.getByRole("region", { name: "Start by service kind" }).locator(".code-line code").innerText(),
    refresh: () => opened.button("Read the file again").click(),
    async answered(act) {
      const response = page.waitForResponse((answer) => answer.url().includes("/pm2-ecosystem"));
      await Promise.all([act(), response.then((answer) => answer.finished())]);
    },
  };
}
