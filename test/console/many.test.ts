/// <reference lib="dom" />
/** The table of processes: order, folded instances, and rendering of only the visible rows. */
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { hasBrowser, useBrowser } from "../browser/support.ts";
import { axe, expectAccessibleInEveryLook, overflow } from "./accessibility.ts";
import { handMonitoring, type Made } from "./hand-monitoring.ts";
import { focused, press } from "./keyboard.ts";
import { names, row } from "./monitoring-page.ts";
import { longTest } from "../support/runs.ts";

const browser = useBrowser();
const many = (count: number): Made[] =>
  Array.from({ length: count }, (_, at) => ({ name: `app-${String(at).padStart(4, "0")}`, cpuPercent: at % 97 }));

async function monitored(processes: readonly Made[], tab = "") {
  const open = await handMonitoring(browser, { tab });
  await open.telemetry.watchers(1);
  open.give(processes);
  await open.page.locator(".process-name").first().waitFor();
  return open;
}

/** The rows that are completely visible below the bars. */
function inSight(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const head = document.querySelector("thead th")?.getBoundingClientRect().bottom ?? 0;
    return [...document.querySelectorAll("tbody tr:not(.undrawn)")]
      .filter((line) => {
        const { top, bottom } = line.getBoundingClientRect();
        return top >= head - 1 && bottom <= window.innerHeight;
      })
      .map((line) => line.querySelector(".name")?.textContent ?? "");
  });
}

describe.skipIf(!hasBrowser)("a process that needs attention", () => {
  const drift = { field: "env", state: "absent", key: "MODE", declared: null, running: null } as const;

  longTest("is at the top with its reason, in every theme", async () => {
    const open = await handMonitoring(browser);
    const { page, give, telemetry } = open;
    await telemetry.watchers(1);
    give(
      [
        { name: "a-fine" },
        { name: "drifted" },
        { name: "looping", problem: { code: "PROCESS_CRASH_LOOP", details: "It ended by itself 26 times." } },
        { name: "gone", status: "errored", pid: null, restartCount: 15, exitCode: 1 },
      ],
      { missingExpected: ["mailer"], drift: [{ ...drift, name: "drifted", pmIds: [1] }] },
    );
    await page.locator("tbody tr").nth(3).waitFor();
    await expect.poll(() => names(page)).toEqual(["gone", "looping", "drifted", "a-fine"]);
    await expect
      .poll(() => page.locator(".why").allTextContents())
      .toEqual([
        "PM2 has given up on it, and starts it only on request.",
        "It ended by itself 26 times.",
        "MODE: declared, not in the running process.",
      ]);
    const [missing, first] = [await page.locator(".missing").boundingBox(), await row(page, "gone").boundingBox()];
    expect((missing?.y ?? Infinity) < (first?.y ?? 0)).toBe(true);
    await expectAccessibleInEveryLook(open);
  });

  test("shows its name and complete reason on a phone without scrolling", async () => {
    const { page } = await monitored([
      ...many(20),
      { name: "search-indexer", status: "errored", pid: null, restartCount: 15, exitCode: 1 },
    ]);
    await page.setViewportSize({ width: 390, height: 844 });
    const isCut = (part: Element): boolean =>
      part.scrollWidth > part.clientWidth || part.scrollHeight > part.clientHeight;
    const why = page.locator(".why").first();
    await expect.poll(() => why.evaluate(isCut)).toBe(false);
    expect(await page.locator(".name span").first().evaluate(isCut)).toBe(false);
    const [reason, bar] = [await why.boundingBox(), await page.locator(".tabs").boundingBox()];
    expect((reason?.y ?? Infinity) + (reason?.height ?? 0)).toBeLessThanOrEqual(bar?.y ?? 0);
  });
});

describe.skipIf(!hasBrowser)("instances of an app", () => {
  const cluster: readonly Made[] = [
    { name: "shop-restapi", pmId: 3, cpuPercent: 10, memoryBytes: 2 ** 20, namespace: "shop" },
    { name: "shop-restapi", pmId: 4, cpuPercent: 20, memoryBytes: 2 ** 20, namespace: "shop", status: "stopped" },
    { name: "other", pmId: 5 },
  ];

  longTest("are one row with their sums, which expands to a row for each", async () => {
    const { page } = await monitored(cluster);
    const folded = row(page, "shop-restapi").first();
    await expect.poll(() => page.locator("tbody tr").count()).toBe(2);
    await expect.poll(() => folded.innerText()).toMatch(/×2[\s\S]*stopped\s*1 of 2[\s\S]*30\.0%[\s\S]*2\.0 MB/);
    await folded.getByRole("button", { name: "shop-restapi" }).first().click();
    await page.locator("tr.instance").nth(1).waitFor();
    await expect.poll(() => page.locator("tr.instance small").allTextContents()).toEqual(["id 3", "id 4"]);
    await page.locator("tr.instance .process-name").first().click();
    await page.getByRole("region", { name: "Facts of shop-restapi, PM2 id 3" }).waitFor();
    expect(new URL(page.url()).hash).toContain("process=3+shop-restapi&open=%C3%97+3+shop-restapi");
    await expect.poll(() => axe(page)).toEqual([]);
    await expect.poll(() => overflow(page)).toBe(0);
  });

  longTest("are acted on together by their name in its namespace, or one by one by PM2's number", async () => {
    const { page, sockets, answerNext } = await monitored(cluster);
    const action = () => sockets[0]?.waitForEvent("framesent", ({ payload }) => String(payload).includes('"action"'));
    const [all, question] = [action(), answerNext(true)];
    await page.getByRole("button", { name: "Restart shop-restapi, all 2 instances" }).click();
    expect(await question).toBe("Restart shop-restapi (all 2 instances)?");
    const sent = JSON.parse(String((await all)?.payload)) as Record<string, unknown>;
    expect(sent).toMatchObject({ action: "restart", scope: "process", name: "shop-restapi", namespace: "shop" });
    expect(sent).not.toHaveProperty("pmId");
    await row(page, "shop-restapi").first().getByRole("button", { name: "shop-restapi" }).first().click();
    const one = action();
    await page.getByRole("button", { name: "Start shop-restapi (id 4)", exact: true }).click();
    expect(JSON.parse(String((await one)?.payload))).toMatchObject({ action: "start", pmId: 4 });
  });
});

describe.skipIf(!hasBrowser)("a long list", () => {
  longTest("shows at least 12 rows of 100 processes at 1280 × 800, each 36 pixels high", async () => {
    const { page } = await monitored(many(100));
    expect((await inSight(page)).length).toBeGreaterThanOrEqual(12);
    expect((await row(page, "app-0003").boundingBox())?.height).toBe(36);
  });

  longTest("shows a name that is too long on one line, cut in the middle", async () => {
    const long = `${"a-name-of-many-letters-".repeat(4)}restapi`;
    const { page } = await monitored([{ name: long }, { name: `${long}-2` }]);
    for (const width of [1280, 390]) {
      await page.setViewportSize({ width, height: 800 });
      const name = page.locator(".name").first();
      const [start, end] = [name.locator("span").first(), name.locator("span").last()];
      await expect.poll(() => name.textContent()).toBe(long);
      await expect.poll(() => start.evaluate((part) => part.scrollWidth > part.clientWidth)).toBe(true);
      await expect
        .poll(() => end.evaluate((part) => [part.textContent, part.scrollWidth > part.clientWidth]))
        .toEqual(["-restapi", false]);
      expect((await row(page, long).first().boundingBox())?.height).toBeLessThan(60);
    }
  });

  longTest.each([1280, 390])(
    "keeps the table header below the bars while it scrolls, %s pixels wide",
    async (width) => {
      const { page } = await monitored(many(100));
      await page.setViewportSize({ width, height: 800 });
      await page.evaluate(() => window.scrollTo(0, 1_500));
      const isBelow = await page.waitForFunction(() => {
        const bottoms = [...document.querySelectorAll(".top, .tabs")].map((bar) => bar.getBoundingClientRect());
        const least = Math.max(...bottoms.filter((bar) => bar.width > 300 && bar.top < 100).map((bar) => bar.bottom));
        const { top = 0 } = document.querySelector("thead th")?.getBoundingClientRect() ?? {};
        return Math.abs(top - least) <= 1;
      });
      expect(await isBelow.jsonValue()).toBe(true);
    },
  );

  longTest("renders only rows near the viewport: of 1,000 processes fewer than 150", async () => {
    const { page } = await monitored(many(1_000));
    const drawn = () => page.locator(".process-name").count();
    await expect.poll(() => drawn()).toBeLessThan(150);
    const { height } = (await page.locator("table.rows").boundingBox()) ?? { height: 0 };
    expect(height).toBeGreaterThan(1_000 * 35);
    await page.evaluate(() => window.scrollTo(0, document.documentElement.scrollHeight));
    await row(page, "app-0999").waitFor();
    await expect.poll(drawn).toBeLessThan(150);
    await page.getByRole("button", { name: "app-0999" }).first().click();
    await page.getByRole("region", { name: "Facts of app-0999" }).waitFor();
    await page.getByRole("searchbox").fill("app-05");
    await expect.poll(() => page.locator(".process-name").count()).toBeGreaterThan(20);
    expect((await names(page)).filter((name) => !name.startsWith("app-05"))).toEqual([]);
  });

  longTest("in another order and after a filter, each row has the values and the actions of its process", async () => {
    const { page } = await monitored(many(100));
    const rows = () =>
      page.locator("tbody tr[aria-rowindex]").evaluateAll((lines) =>
        lines.map((line) => ({
          name: line.querySelector(".name")?.textContent ?? "",
          cpu: line.querySelector("td.number")?.textContent ?? "",
          actions: [...line.querySelectorAll(".process-actions button")].map((button) => button.ariaLabel),
        })),
      );
    const of = (at: number) => {
      const name = `app-${String(at).padStart(4, "0")}`;
      return { name, cpu: `${at % 97}.0%`, actions: ["Start", "Stop", "Restart"].map((verb) => `${verb} ${name}`) };
    };
    await page.getByRole("button", { name: "CPU", exact: true }).click();
    await expect
      .poll(async () => (await rows()).slice(0, 12))
      .toEqual(Array.from({ length: 12 }, (_, at) => of(96 - at)));
    await page.getByRole("searchbox").fill("9");
    const found = [96, 95, 94, 93, 92, 91, 90, 89, 79, 69];
    await expect.poll(async () => (await rows()).slice(0, 10)).toEqual(found.map(of));
    await page.getByRole("searchbox").fill("");
    await expect
      .poll(async () => (await rows()).slice(0, 12))
      .toEqual(Array.from({ length: 12 }, (_, at) => of(96 - at)));
  });

  longTest("keeps the focused row, however far the page scrolls, and says how many rows there are", async () => {
    const { page } = await monitored(many(1_000));
    await page.getByRole("button", { name: "app-0002" }).first().focus();
    await page.evaluate(() => window.scrollTo(0, 20_000));
    await row(page, "app-0555").waitFor();
    await expect.poll(() => focused(page)).toContain("app-0002");
    await expect.poll(() => page.getByRole("table", { name: "Processes" }).getAttribute("aria-rowcount")).toBe("1001");
    await press(page, "Tab");
    await expect.poll(() => focused(page)).toContain("app-0002");
    await expect.poll(() => axe(page)).toEqual([]);
  });
});
