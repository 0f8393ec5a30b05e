/// <reference lib="dom" />
/** The first answer of the page on a bad night: what needs attention, and the one right action. */
import { describe, expect, test } from "vitest";
import { hasBrowser, useBrowser } from "../browser/support.ts";
import { MISSING, nightEcosystem, nightProcesses } from "../support/bad-night.ts";
import { focused } from "./keyboard.ts";
import { expectAccessible } from "./accessibility.ts";
import { handMonitoring } from "./hand-monitoring.ts";
import { titleOf, type ConsoleOptions } from "./open-console.ts";
import { longTest } from "../support/runs.ts";

const browser = useBrowser();

async function badNight(options: ConsoleOptions = {}) {
  const open = await handMonitoring(browser, { mayFail: true, ...options });
  await open.telemetry.watchers(1);
  open.give(nightProcesses, nightEcosystem);
  const inbox = open.page.getByRole("region", { name: "Attention" });
  await inbox.waitFor();
  return { ...open, inbox, cardOf: (name: string) => inbox.getByRole("listitem").filter({ hasText: name }) };
}

describe.skipIf(!hasBrowser)("the attention on a bad night", () => {
  longTest(
    "counts the same in the line, in the navigation and in the title, with the apps that PM2 does not know",
    async () => {
      const { page, inbox, cardOf, button } = await badNight();
      await expect.poll(() => inbox.locator(".state-line").innerText()).toMatch(/^12 apps need attention/);
      await expect.poll(() => page.title()).toBe(titleOf("(12) Monitoring"));
      await cardOf("9 declared apps do not run").getByText(MISSING.join(", ")).waitFor();
      expect(await inbox.getByRole("button", { name: "Start all 9" }).isEnabled()).toBe(true);
      await cardOf("web").getByText("4 connections wait").waitFor();
      await cardOf("consumer").getByRole("button", { name: "Restart", exact: true }).waitFor();
      await cardOf("feed-importer").getByRole("button", { name: "Start", exact: true }).waitFor();
      // A user may have stopped it, and the app is not declared here.
      await expect.poll(() => cardOf("scheduler").count()).toBe(0);
      await cardOf("consumer").getByRole("button", { name: "Details" }).click();
      await page.getByRole("region", { name: /^Why of consumer/ }).waitFor();
      // Beside the panel, the cards are one line each, and the list has their place.
      await expect.poll(() => button("Details").count()).toBe(0);
      await expectAccessible({ page });
      await page.keyboard.press("Escape");
      await expect.poll(() => focused(page)).toBe("Details");
    },
  );

  test("breaks no name of a missing app, and gives each card one row of buttons", async () => {
    const { page, inbox, cardOf } = await badNight();
    const rowsOf = (selector: string) =>
      inbox.locator(selector).evaluateAll((all) => all.map((one) => one.getClientRects().length));
    await expect.poll(() => rowsOf(".whole bdi")).toEqual(MISSING.map(() => 1));
    for (const width of [1280, 390]) {
      await page.setViewportSize({ width, height: 844 });
      expect(await rowsOf(".whole bdi")).toEqual(MISSING.map(() => 1));
    }
    await page.setViewportSize({ width: 1280, height: 800 });
    const tops = await cardOf("consumer")
      .getByRole("button")
      .evaluateAll((all) => all.map((one) => one.getBoundingClientRect().top));
    expect(tops).toHaveLength(4);
    expect(new Set(tops).size).toBe(1);
  });

  test("on a phone, the badges of a row are beside its name, and the status is below both", async () => {
    const { page, give } = await badNight({ isPhone: true });
    const drift = {
      name: "consumer",
      field: "env",
      key: "MODE",
      state: "absent",
      declared: null,
      running: null,
    } as const;
    give(nightProcesses, { ...nightEcosystem, drift: [{ ...drift, pmIds: [0] }] });
    const name = page.locator(".process-name", { hasText: "consumer" });
    const badge = name.getByText("drift", { exact: true });
    await badge.waitFor();
    const [ofName, ofBadge, ofStatus] = await Promise.all(
      [name.locator(".name"), badge, name.getByText("crash loop")].map((one) => one.boundingBox()),
    );
    expect(ofBadge?.y).toBeLessThan((ofName?.y ?? 0) + (ofName?.height ?? 0));
    expect(ofStatus?.y).toBeGreaterThanOrEqual((ofBadge?.y ?? 0) + (ofBadge?.height ?? 0));
  });

  test("a declared app that no request stopped needs attention, for example after an apply that failed", async () => {
    const { inbox, cardOf, give } = await badNight();
    give([{ name: "feed-importer", status: "stopped", state: "stopped", stateReason: null, pid: null }], {
      missingExpected: ["feed-importer"],
    });
    await cardOf("feed-importer").getByText("svcm knows no request that stopped it").waitFor();
    give(
      [{ name: "feed-importer", status: "stopped", state: "stopped", stateReason: "by ann since 21:00", pid: null }],
      {
        missingExpected: ["feed-importer"],
      },
    );
    await inbox.getByText("No app needs attention").waitFor();
    await expect.poll(() => inbox.getByRole("listitem").count()).toBe(0);
  });

  longTest("is the first screen of a phone", async () => {
    const { page, inbox } = await badNight({ isPhone: true });
    const box = await inbox.boundingBox();
    expect(box?.y).toBeLessThan(200);
    await expectAccessible({ page });
  });
});
