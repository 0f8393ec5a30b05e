/// <reference lib="dom" />
/** The apps that still use the old values after a save, with a real PM2. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect } from "vitest";
import { hasBrowser, useBrowser } from "../browser/support.ts";
import { expectAccessibleInEveryLook } from "./accessibility.ts";
import { handMonitoring } from "./hand-monitoring.ts";
import { savedPages } from "./saved-page.ts";
import { longTest } from "../support/runs.ts";

const browser = useBrowser();
const { real, seen, savedPage } = savedPages();

describe.skipIf(!hasBrowser)("after a save", () => {
  longTest("the page lists the apps that still use the old file, and restarts the selected ones", async () => {
    const open = await savedPage();
    const { page, stale, button } = open;
    const boxes = stale.getByRole("checkbox");
    expect((await stale.getByRole("listitem").allTextContents()).map((text) => text.trim())).toEqual([
      "api",
      "jobs",
      // It may read the file by itself.
      "other",
      "web",
    ]);
    await expectAccessibleInEveryLook(open);
    await boxes.nth(1).uncheck();
    await boxes.nth(2).uncheck();
    await button("Restart 2, one after another").click();
    await stale.getByText("restarted").nth(1).waitFor();
    await expect
      .poll(() => stale.getByRole("listitem").allInnerTexts())
      .toEqual(["api restarted", "jobs", "other", "web restarted"]);
    expect(["api", "jobs", "web", "other"].map(seen)).toEqual(["fastify", "express", "fastify", "undefined"]);
    await boxes.nth(1).check();
    await button("Restart 1").click();
    await stale.getByText("restarted").nth(2).waitFor();
    expect(seen("jobs")).toBe("fastify");
    await page.getByRole("link", { name: "See the whole plan" }).click();
    // `other` may have read the file by itself.
    await page
      .getByRole("heading", { name: "No step, but svcm cannot tell whether 1 app runs what is declared" })
      .waitFor();
    await page.getByText("3 apps run as declared").waitFor();
  });

  longTest(
    "after the first failed restart, no further app is restarted, and the page says which apps keep the old values",
    async () => {
      const { stale, button } = await savedPage();
      writeFileSync(join(real.folder, "fails-jobs"), "");
      await button("Restart 4, one after another").click();
      await stale.getByText(/^jobs: /).waitFor();
      await expect
        .poll(() => stale.getByRole("listitem").allInnerTexts())
        .toEqual(["api restarted", "jobs not restarted", "other not restarted", "web not restarted"]);
      expect(seen("web")).toBe("express");
    },
  );

  longTest("the page shows no list if no process runs", async () => {
    const { page, field, button } = await handMonitoring(browser, { tab: "environment" });
    await field("HTTP framework").selectOption("fastify");
    await button("Save").click();
    await page.getByText("Saved 1 key to .env.dev.").waitFor();
    expect(await page.getByText("Still running").count()).toBe(0);
  });
});
