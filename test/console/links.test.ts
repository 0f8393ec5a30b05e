/// <reference lib="dom" />
/** Links to tabs, the browser's back and forward buttons, and motion. */
import { describe, expect, test } from "vitest";
import { hasBrowser, useBrowser } from "../browser/support.ts";
import { tabIds } from "../../src/console/state/address.ts";
import { testServer } from "../server/support.ts";
import { environmentPage } from "./environment-page.ts";
import { handMonitoring } from "./hand-monitoring.ts";
import { names, row } from "./monitoring-page.ts";
import { openConsole } from "./open-console.ts";
import { longTest } from "../support/runs.ts";

/** Without a fleet, the console shows no nodes. */
const ownTabs = tabIds.filter((id) => id !== "nodes");

const browser = useBrowser();

describe.skipIf(!hasBrowser)("a link", () => {
  longTest("opens each tab, in the page and after a reload", async () => {
    const server = await testServer();
    const { page } = await openConsole(browser, server.url, { tab: "activity" });
    for (const id of ownTabs) {
      await page.goto("about:blank");
      await page.goto(`${server.url}/#/${id}`);
      await page.locator(`#panel.${id}`).waitFor();
      const current = page.getByRole("navigation").locator("a[aria-current=page]");
      await expect
        .poll(() => current.evaluateAll((all) => all.map((link) => link.getAttribute("href"))))
        .toContain(`#/${id}`);
      await page.reload();
      await page.locator(`#panel.${id}`).waitFor();
    }
  });

  test("of an earlier version opens the tab that now has the view", async () => {
    const server = await testServer();
    const { page } = await openConsole(browser, server.url, { tab: "audit?find=env" });
    await page.locator("#panel.activity").waitFor();
    await expect.poll(() => page.getByRole("searchbox").inputValue()).toBe("env");
    expect(new URL(page.url()).hash).toBe("#/activity?find=env");
  });

  longTest("back and forward follow the order in which the tabs were opened", async () => {
    const server = await testServer();
    const { page, tab } = await openConsole(browser, server.url, { tab: "activity" });
    const isOpen = (id: string) => page.locator(`#panel.${id}`).waitFor();
    await tab("Deploy targets").click();
    await isOpen("targets");
    await page.getByLabel("Name", { exact: true }).fill("typed");
    await page.getByRole("link", { name: "svcm console" }).click();
    await isOpen("monitoring");
    for (const id of ["targets", "activity"]) {
      await page.goBack();
      await isOpen(id);
    }
    for (const id of ["targets", "monitoring"]) {
      await page.goForward();
      await isOpen(id);
    }
    await page.goBack();
    await expect.poll(() => page.getByLabel("Name", { exact: true }).inputValue()).toBe("typed");
  });

  longTest("is restored if the user stays on the tab, and the back button still works", async () => {
    const open = await environmentPage(browser);
    const { page } = open;
    await open.tab("Service configuration").click();
    await page.locator("#panel.service").waitFor();
    await open.tab("Runtime environment").click();
    await open.field("HTTP framework").selectOption("restify");
    const question = open.answerNext(false);
    await page.evaluate(() => history.back());
    expect(await question).toContain("not saved");
    await page.waitForURL(/#\/environment\?environment=dev$/);
    await expect.poll(() => open.field("HTTP framework").inputValue()).toBe("restify");
    await open.button("Discard").click();
    await page.evaluate(() => history.back());
    await page.locator("#panel.service").waitFor();
  });
});

describe.skipIf(!hasBrowser)("a link with parameters", () => {
  const processes = ["api", "mailer", "worker"].map((name, at) => ({ name, cpuPercent: 10 * at }));

  async function monitored(tab: string) {
    const open = await handMonitoring(browser, { tab });
    await open.telemetry.watchers(1);
    open.give([...processes, { name: "auth", status: "errored", pid: null }], { missingExpected: [] });
    return open;
  }

  longTest(
    "restores environment, filter, sort, range and open row of Monitoring, in the page, from the clipboard and after a reload",
    async () => {
      const { page, telemetry, give } = await monitored("monitoring");
      await row(page, "worker").waitFor();
      await page.getByRole("combobox", { name: "Environment", exact: true }).selectOption("staging");
      await page.getByRole("searchbox").fill("r");
      await page.getByRole("radio", { name: /Online/ }).check();
      await page.getByRole("button", { name: "CPU", exact: true }).click();
      await page.getByRole("radio", { name: "15m" }).check();
      await page.getByRole("button", { name: "worker", exact: false }).first().click();
      const hash = "#/monitoring?environment=staging&find=r&status=online&sort=-cpu&range=15m&process=2+worker";
      await page.waitForURL((url) => url.hash === hash);
      await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
      await page.getByRole("button", { name: "Copy the link to this view" }).click();
      await page.getByText("Copied the link to this view.").waitFor();
      await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe(page.url());
      const subscribed = page
        .waitForEvent("websocket")
        .then((socket) =>
          socket.waitForEvent("framereceived", ({ payload }) => String(payload).includes('"subscribed"')),
        );
      await page.reload();
      await subscribed;
      expect(telemetry.watched).toContain("staging 1000");
      give(processes);
      await row(page, "worker").waitFor();
      await expect.poll(() => names(page)).toEqual(["worker", "mailer"]);
      await expect.poll(() => page.getByRole("radio", { name: "15m" }).isChecked()).toBe(true);
      await expect.poll(() => page.getByRole("radio", { name: /Online/ }).isChecked()).toBe(true);
      await expect.poll(() => page.getByRole("searchbox").inputValue()).toBe("r");
      await page.getByRole("region", { name: "Facts of worker" }).waitFor();
      expect(new URL(page.url()).hash).toBe(hash);
    },
  );

  longTest(
    "resets the parameters that it does not name; a link without parameters opens the tab as the user left it",
    async () => {
      const { page } = await monitored("monitoring?find=mail");
      await row(page, "mailer").waitFor();
      await expect.poll(() => names(page)).toEqual(["mailer"]);
      await page.getByRole("link", { name: "Activity" }).click();
      await page.getByRole("link", { name: "svcm console" }).click();
      await page.waitForURL(/#\/monitoring\?environment=dev&find=mail$/);
      await page.evaluate(() => void (location.hash = "#/monitoring?sort=-name"));
      await page.waitForURL(/#\/monitoring\?environment=dev&sort=-name$/);
      await expect.poll(() => page.getByRole("searchbox").inputValue()).toBe("");
    },
  );

  longTest("with values that do not exist opens the tab with its defaults", async () => {
    const { page } = await monitored("monitoring?status=nothing&sort=-nothing&range=1y&open=7+gone&else=1");
    await row(page, "worker").waitFor();
    await expect.poll(() => names(page)).toEqual(["auth", "api", "mailer", "worker"]);
    await expect.poll(() => page.getByRole("radio", { name: "5m", exact: true }).isChecked()).toBe(true);
    await page.getByRole("link", { name: "Activity" }).click();
    await page.waitForURL(/#\/activity$/);
  });

  longTest("selects the environment and the comparison of the editor, and says so if it names another", async () => {
    const open = await environmentPage(browser, { tab: "environment?environment=staging&compare=ci" });
    const { page } = open;
    await page.getByLabel("Differences between staging and ci").waitFor();
    await page.getByText(/^Saving writes .*\/\.env\.staging only$/).waitFor();
    await page.evaluate(() => void (location.hash = "#/environment?environment=nowhere"));
    await page.getByText("The link names an environment that does not exist. Accepted: dev, ").waitFor();
    await page.waitForURL(/#\/environment\?environment=staging$/);
    await expect
      .poll(() => page.getByRole("combobox", { name: "Environment", exact: true }).inputValue())
      .toBe("staging");
  });

  longTest("restores the environment and service kind of the preview, and the filter of the audit", async () => {
    const server = await testServer();
    const { page } = await openConsole(browser, server.url, {
      tab: "pm2?environment=staging&kind=grpc-api",
      mayFail: true,
    });
    await expect
      .poll(() => page.getByRole("combobox", { name: "Environment", exact: true }).inputValue())
      .toBe("staging");
    await page.goto(`${server.url}/#/activity?find=env`);
    await page.getByRole("searchbox").waitFor();
    await expect.poll(() => page.getByRole("searchbox").inputValue()).toBe("env");
  });
});

describe.skipIf(!hasBrowser)("motion", () => {
  async function moving(reducedMotion: "reduce" | "no-preference"): Promise<{ tab: string; count: number }[]> {
    const server = await testServer();
    const { page } = await openConsole(browser, server.url, { reducedMotion, mayFail: true });
    const counts: { tab: string; count: number }[] = [];
    for (const tab of ownTabs) {
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

  longTest("is off with reduced motion, even if a style sets it", async () => {
    expect(await moving("reduce")).toEqual(ownTabs.map((tab) => ({ tab, count: 0 })));
  });

  longTest("is on otherwise", async () => {
    expect(await moving("no-preference")).toEqual(ownTabs.map((tab) => ({ tab, count: 2 })));
  });
});
