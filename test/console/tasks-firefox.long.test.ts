/** Everyday tasks in Firefox, if it is installed or `FIREFOX_PATH` names it. */
import { existsSync } from "node:fs";
import type { Browser } from "playwright-core";
// Newer versions send Firefox ESR an unknown command.
import { firefox } from "playwright-core-firefox";
import { afterAll, beforeAll, describe } from "vitest";
import { everydayTasks } from "./everyday-tasks.ts";
import { byMouseOnly } from "./task.ts";

const executablePath = process.env["FIREFOX_PATH"] ?? "/usr/bin/firefox-esr";

describe.skipIf(!existsSync(executablePath))("a task in Firefox", () => {
  let browser: Browser | undefined;
  beforeAll(async () => {
    // A packaged Firefox supports only WebDriver BiDi.
    browser = (await firefox.launch({ channel: "moz-firefox", executablePath })) as unknown as Browser;
  });
  afterAll(() => browser?.close());
  everydayTasks(() => {
    if (browser === undefined) throw new Error("There is no browser.");
    return browser;
  }, byMouseOnly);
});
