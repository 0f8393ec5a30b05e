/// <reference lib="dom" />
/** The details of a process beside the list, with their own address. */
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { hasBrowser, useBrowser } from "../browser/support.ts";
import { longTest } from "../support/runs.ts";
import { axe, expectAccessible, inEveryLook } from "./accessibility.ts";
import { handMonitoring, type Made } from "./hand-monitoring.ts";
import { focused, press } from "./keyboard.ts";
import { names, row } from "./monitoring-page.ts";
import type { ConsoleOptions } from "./open-console.ts";

const browser = useBrowser();
const apps: readonly Made[] = [
  { name: "auth", restartCount: 1, cpuPercent: 1 },
  { name: "mailer", cpuPercent: 2 },
  { name: "worker", cpuPercent: 3 },
];

async function monitored(options: ConsoleOptions = {}, given = apps) {
  const open = await handMonitoring(browser, { mayFail: true, ...options });
  await open.telemetry.watchers(1);
  open.give(given);
  const panel = open.page.getByRole("region", { name: /^Process / });
  return { ...open, panel, nameOf: (name: string) => row(open.page, name).locator(".process-name") };
}

/** Resolves with the elements that changed their place during `run`; a number itself may grow to its left. */
async function movedDuring(page: Page, run: () => Promise<void>): Promise<string[]> {
  await page.evaluate(() => {
    const moved: string[] = [];
    Object.assign(window, { moved });
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries() as (PerformanceEntry & { sources: { node: Node | null }[] })[])
        for (const { node } of entry.sources) if (node instanceof Element) moved.push(node.outerHTML);
    }).observe({ type: "layout-shift" });
  });
  await run();
  return page.evaluate(
    () =>
      new Promise((resolve) => {
        requestAnimationFrame(() => setTimeout(() => resolve((window as unknown as { moved: string[] }).moved)));
      }),
  );
}

describe.skipIf(!hasBrowser)("the panel of a process", () => {
  test("opens by click beside a list that stays usable, moves nothing, and closes by Escape and by Back", async () => {
    const { page, panel, give, nameOf } = await monitored();
    // Nothing moves while numbers change. Before that, the answer about its end has its place.
    await nameOf("auth").click();
    await panel.locator(".why-end > *").first().waitFor();
    const moved = await movedDuring(page, async () => {
      for (const [cpuPercent, restartCount, memoryBytes] of [
        [9.9, 9, 9 * 2 ** 20],
        [100, 10, 1000 * 2 ** 20],
        [0, 1000, 2 ** 30],
      ] as const) {
        give([{ name: "auth", cpuPercent, restartCount, memoryBytes }, ...apps.slice(1)]);
        await panel.getByText(`${restartCount} restarts`).waitFor();
      }
    });
    expect(moved).toEqual([]);
    await page.keyboard.press("Escape");
    await panel.waitFor({ state: "detached" });

    await nameOf("mailer").click();
    await panel.getByRole("region", { name: "Why of mailer, PM2 id 1" }).waitFor();
    expect(new URL(page.url()).hash).toContain("process=1+mailer");
    const [list, side] = [await page.locator(".processes").boundingBox(), await panel.boundingBox()];
    expect((list?.x ?? 0) + (list?.width ?? 0)).toBeLessThanOrEqual(side?.x ?? 0);
    await page.getByRole("button", { name: "CPU", exact: true }).click();
    await expect.poll(() => names(page)).toEqual(["worker", "mailer", "auth"]);
    await nameOf("auth").click();
    await panel.getByRole("heading", { name: "auth", exact: true }).waitFor();
    await page.keyboard.press("Escape");
    await panel.waitFor({ state: "detached" });
    expect(await focused(page)).toContain("mailer");
    await nameOf("worker").click();
    await panel.waitFor();
    await page.goBack();
    await panel.waitFor({ state: "detached" });
    expect(new URL(page.url()).hash).not.toContain("process=");

    // By keyboard, Escape gives the focus back to the row.
    await nameOf("worker").focus();
    await page.keyboard.press("Enter");
    await panel.waitFor();
    await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe("process");
    await page.keyboard.press("Tab");
    expect(await focused(page)).toBe("Close worker");
    await page.keyboard.press("Escape");
    await expect.poll(() => focused(page)).toContain("worker");
    await panel.waitFor({ state: "detached" });
  });

  test("says why, though a loop restarts the app again before each answer", async () => {
    const { page, panel, give, nameOf } = await monitored();
    let restartCount = 1;
    await page.route("**/api/runtime/process?*", async (route) => {
      restartCount += 1;
      give([{ name: "auth", restartCount }]);
      await panel.getByText(`${restartCount} restarts`).waitFor();
      await route.continue();
    });
    await nameOf("auth").click();
    await panel.locator(".why-end > *").first().waitFor();
    expect(await panel.locator(".why-end").getAttribute("aria-busy")).toBe("false");
    await page.unrouteAll({ behavior: "ignoreErrors" });
  });

  test("leaves whole names in the list beside it, on a wide screen", async () => {
    const { page, panel, nameOf } = await monitored({ tab: "monitoring?process=1+mailer" }, [
      { name: "feed-importer", status: "errored", pid: null },
      { name: "mailer" },
    ]);
    await page.setViewportSize({ width: 1920, height: 1080 });
    await panel.waitFor();
    const name = nameOf("feed-importer").locator(".name > span");
    await expect.poll(() => name.evaluate((text) => text.scrollWidth - text.clientWidth)).toBe(0);
  });

  test("opens by a link, follows an app that was deleted and started again, and says when PM2 lost it", async () => {
    const { page, panel, give } = await monitored({ tab: "monitoring?process=7+mailer" });
    await panel.getByRole("region", { name: "Facts of mailer, PM2 id 1" }).waitFor();
    give([{ name: "auth" }]);
    await panel.getByText("PM2 has no process of this name.").waitFor();
    await panel.getByRole("button", { name: "Close mailer" }).click();
    await panel.waitFor({ state: "detached" });
    expect(new URL(page.url()).hash).not.toContain("process=");
  });

  test("is the page on a phone, and the list is where it was afterwards", async () => {
    const { page, panel, nameOf } = await monitored({ isPhone: true, isTouch: true });
    await nameOf("worker").tap();
    await panel.waitFor();
    expect((await panel.boundingBox())?.width).toBe(390);
    await expect.poll(() => page.locator(".processes").isVisible()).toBe(false);
    await expectAccessible({ page });
    await panel.getByRole("button", { name: "Close worker" }).tap();
    await page.locator(".processes").waitFor();
    await expect.poll(() => focused(page)).toContain("worker");
  });

  longTest("is accessible in every look, and Escape first serves a chart and a field", async () => {
    const { page, panel, nameOf } = await monitored();
    await nameOf("auth").click();
    await inEveryLook(page, async () => expect(await axe(page)).toEqual([]));
    await panel.getByRole("application", { name: /^CPU of auth/ }).focus();
    await press(page, "+", "Escape");
    await page.getByRole("searchbox").fill("au");
    await press(page, "Escape");
    expect(await panel.isVisible()).toBe(true);
    await press(page, "Escape");
    await panel.waitFor({ state: "detached" });
  });
});
