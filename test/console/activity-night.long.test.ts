/// <reference lib="dom" />
/** The activity view while a crash loop runs. */
import { expect, test } from "vitest";
import { hasBrowser, useBrowser } from "../browser/support.ts";
import { ask } from "../server/support.ts";
import { axe, overflow } from "./accessibility.ts";
import { CHANGED, nightServer, zoneAtNoon } from "./night-server.ts";
import { openConsole } from "./open-console.ts";

const browser = useBrowser();
test.skipIf(!hasBrowser)(
  "a night is asked by the time of its events, shown once each, and goes back a week",
  async () => {
    const server = await nightServer();
    const { json } = await ask(server, `/api/events?since=${CHANGED}&until=${CHANGED + 70_000}&limit=1000`);
    const times = json.events.map(({ at }: { at: string }) => Date.parse(at));
    expect(Math.max(...times)).toBeLessThanOrEqual(CHANGED + 70_000);
    expect(json.events.some(({ app }: { app: string }) => app === "web")).toBe(true);

    const { page, button } = await openConsole(browser, server.url, { tab: "activity", timeZone: zoneAtNoon() });
    const rows = page.locator("tbody tr:not(.day)");
    const change = rows.filter({ hasText: "Environment: write" });
    await change.getByRole("button", { name: "Events after it" }).click();
    const requested = page.getByRole("list", { name: "On request" });
    await requested.getByText(/^[\d:]+ web \(id 1\) was restarted/).waitFor();
    await requested.getByText(/^[\d:]+ api \(id 2\) was restarted/).waitFor();
    const own = page.getByRole("list", { name: "By itself" });
    await expect.poll(() => own.innerText()).toMatch(/consumer \(id 0\) ended: .*crash, exit code 1\. ×10[01] until/);
    expect(await page.getByText("No process started or ended").count()).toBe(0);
    // The loop of an hour is a few rows, which the change divides.
    const loops = rows.filter({ hasText: "consumer (id 0)" }).filter({ hasText: "exit" });
    await expect.poll(() => loops.count()).toBeLessThanOrEqual(3);
    await expect.poll(() => axe(page)).toEqual([]);
    await page.setViewportSize({ width: 390, height: 844 });
    await expect.poll(() => overflow(page)).toBe(0);

    await page.setViewportSize({ width: 1280, height: 800 });
    // Its sentence, and its evidence on at most two lines.
    await expect.poll(async () => (await loops.first().boundingBox())?.height).toBeLessThan(80);
    await page.evaluate(() => void (location.hash = "#/activity?show=failures"));
    const old = page.locator("tbody tr.event").filter({ hasText: "last-week (id 7)" });
    const since = page.getByText(/^Events since/);
    await since.waitFor();
    const before = await since.innerText();
    expect(await old.count()).toBe(0);
    await button("Older").click();
    await old.waitFor();
    expect(await since.innerText()).not.toBe(before);
    expect(await page.locator("tbody tr.event").filter({ hasText: "consumer (id 0)" }).count()).toBeGreaterThan(0);
  },
);
