/// <reference lib="dom" />
/** Links to tabs, the browser's own back and forward, and motion. */
import { describe, expect, test } from "vitest";
import { hasBrowser, useBrowser } from "../browser/support.ts";
import { tabIds } from "../../src/console/state/router.ts";
import { testServer } from "../server/support.ts";
import { environmentPage } from "./environment-page.ts";
import { openConsole } from "./open-console.ts";

const browser = useBrowser();
const noPm2 = { env: { PM2_HOME: "/nowhere/pm2" } };

describe.skipIf(!hasBrowser)("a link", () => {
  test("opens each tab, in the page and after a reload", async () => {
    const server = await testServer(noPm2);
    const { page } = await openConsole(browser, server.url, { tab: "audit" });
    for (const id of tabIds) {
      await page.goto("about:blank");
      await page.goto(`${server.url}/#/${id}`);
      await page.locator(`#panel.${id}`).waitFor();
      expect(await page.getByRole("tab", { selected: true }).getAttribute("id")).toBe(`tab-${id}`);
      await page.reload();
      await page.locator(`#panel.${id}`).waitFor();
    }
  });

  test("back and forward follow the order in which the tabs were opened", async () => {
    const server = await testServer(noPm2);
    const { page, tab } = await openConsole(browser, server.url, { tab: "audit" });
    const isOpen = (id: string) => page.locator(`#panel.${id}`).waitFor();
    await tab("Deploy targets").click();
    await isOpen("targets");
    await page.getByLabel("Name", { exact: true }).fill("typed");
    await page.getByRole("link", { name: "svcm console" }).click();
    await isOpen("monitoring");
    for (const id of ["targets", "audit"]) {
      await page.goBack();
      await isOpen(id);
    }
    for (const id of ["targets", "monitoring"]) {
      await page.goForward();
      await isOpen(id);
    }
    await page.goBack();
    expect(await page.getByLabel("Name", { exact: true }).inputValue()).toBe("typed");
  });

  test("is restored if the user stays on the tab, and the back button still works", async () => {
    const open = await environmentPage(browser);
    const { page } = open;
    await open.tab("Service configuration").click();
    await page.locator("#panel.service").waitFor();
    await open.tab("Runtime environment").click();
    await open.field("HTTP framework").selectOption("restify");
    const asked = open.answerNext(false);
    await page.evaluate(() => history.back());
    expect(await asked).toContain("not saved");
    await page.waitForURL(/#\/environment$/);
    expect(await open.field("HTTP framework").inputValue()).toBe("restify");
    await open.button("Discard").click();
    await page.evaluate(() => history.back());
    await page.locator("#panel.service").waitFor();
  });
});

describe.skipIf(!hasBrowser)("motion", () => {
  /** The number of running animations and transitions after an element starts to move. */
  async function moving(reducedMotion: "reduce" | "no-preference"): Promise<{ tab: string; count: number }[]> {
    const server = await testServer(noPm2);
    const { page } = await openConsole(browser, server.url, { reducedMotion, mayFail: true });
    const counts: { tab: string; count: number }[] = [];
    for (const tab of tabIds) {
      await page.evaluate((id) => void (location.hash = `#/${id}`), tab);
      await page.locator(`#panel.${tab} h1`).waitFor();
      const count = await page.evaluate(() => {
        const sheet = new CSSStyleSheet();
        sheet.replaceSync(
          "@layer tabs { @keyframes turn { to { rotate: 1turn } } h1 { animation: turn 9s; transition: opacity 9s } }",
        );
        document.adoptedStyleSheets = [sheet];
        const head = document.querySelector("h1");
        head?.getBoundingClientRect();
        head?.style.setProperty("opacity", "0.5");
        return document.getAnimations().length;
      });
      counts.push({ tab, count });
    }
    return counts;
  }

  test("is off with reduced motion, whatever a style asks for", async () => {
    expect(await moving("reduce")).toEqual(tabIds.map((tab) => ({ tab, count: 0 })));
  });

  test("is on otherwise", async () => {
    expect(await moving("no-preference")).toEqual(tabIds.map((tab) => ({ tab, count: 2 })));
  });
});
