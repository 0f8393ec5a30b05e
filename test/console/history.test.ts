/// <reference lib="dom" />
import { describe, expect } from "vitest";
import { hasBrowser, useBrowser } from "../browser/support.ts";
import { repository } from "../server/support.ts";
import { MIB, stepsBetween, writeHistory } from "../support/recorded.ts";
import { expectAccessible } from "./accessibility.ts";
import { handMonitoring } from "./hand-monitoring.ts";
import { longTest } from "../support/runs.ts";

const browser = useBrowser();
const HOUR = 3_600_000;

function recorded() {
  const files = repository();
  const now = Date.now();
  const steps = stepsBetween(now - 2 * HOUR, now, (ms) => Math.round(MIB * (600 - ((now - ms) / (2 * HOUR)) * 500)));
  writeHistory(files.root, steps, now);
  return files;
}

const api = { name: "api", pmId: 0, memoryBytes: 600 * MIB };

describe.skipIf(!hasBrowser)("the recorded history", () => {
  longTest("fills the beginning of the charts, and adds a sortable column for growth", async () => {
    const open = await handMonitoring(browser, { server: { repository: recorded() } });
    const { page, give, telemetry } = open;
    await telemetry.watchers(1);
    give([api, { name: "idle", pmId: 1, memoryBytes: 600 * MIB }]);
    await page.locator("label", { hasText: /^1h$/ }).click();
    const growth = page.locator("tbody tr", { hasText: "api" }).locator("td.growth");
    await expect.poll(() => growth.textContent()).toMatch(/^\+2(?:4|5)\d MB$/);
    await expect.poll(() => growth.getAttribute("title")).toMatch(/^since \d{4}-/);
    await page.getByRole("button", { name: "Growth" }).click();
    await expect.poll(() => page.locator("tbody .name").allTextContents()).toEqual(["api", "idle"]);
    const chart = page.getByRole("application", { name: /^CPU of the host/ });
    await chart.press("Home");
    await expect.poll(() => chart.locator("[aria-live]").textContent()).toContain("10%");
    await expectAccessible(open);
  });

  longTest("of the previous range is a second line", async () => {
    const { page, give, telemetry } = await handMonitoring(browser, { server: { repository: recorded() } });
    await telemetry.watchers(1);
    give([api]);
    await page.locator("label", { hasText: /^1h$/ }).click();
    await page.getByRole("checkbox", { name: "Compare with the 1h before" }).check();
    const chart = page.getByRole("application", { name: /^CPU of the host/ });
    await expect
      .poll(async () => {
        await chart.press("Home");
        return chart.locator("[aria-live]").textContent();
      })
      .toContain("Before 10%");
  });
});

describe.skipIf(!hasBrowser)("the recorder", () => {
  longTest("is offered with its disk usage where a range needs it, and starts with one click", async () => {
    const open = await handMonitoring(browser);
    const { page, give, telemetry, posts } = open;
    await telemetry.watchers(1);
    give([api]);
    await page.getByRole("radio", { name: "24h", exact: true }).check({ force: true });
    await page.getByText("The past is not recorded.").waitFor();
    await page.getByText("record: true").waitFor();
    await expectAccessible(open);
    await page.getByRole("button", { name: "Record", exact: true }).click();
    await page.getByText("The past is not recorded.").waitFor({ state: "hidden" });
    expect(posts.map(({ body }) => body)).toEqual([{ on: true }]);
  });
});
