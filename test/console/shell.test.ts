/// <reference lib="dom" />
import { describe, expect, test } from "vitest";
import { hasBrowser, useBrowser } from "../browser/support.ts";
import { testServer } from "../server/support.ts";
import { axe, expectAccessible } from "./accessibility.ts";
import { openConsole, SIZES, titleOf } from "./open-console.ts";
import { longTest } from "../support/runs.ts";

const browser = useBrowser();
const noPm2 = { env: { PM2_HOME: "/nowhere/pm2" } };

describe.skipIf(!hasBrowser)("the shell", () => {
  test("axe reports a deliberate accessibility fault", async () => {
    const server = await testServer(noPm2);
    const { page } = await openConsole(browser, server.url, { tab: "activity" });
    await page.evaluate(() => document.querySelector("main")?.append(document.createElement("button")));
    expect((await axe(page)).join()).toMatch(/button-name/);
  });

  longTest("a link opens its tab, an unknown link the first tab, and the title names the tab", async () => {
    const server = await testServer(noPm2);
    const { page } = await openConsole(browser, server.url, { tab: "activity" });
    await expect.poll(() => page.locator("h1").textContent()).toBe("Activity");
    await expect.poll(() => page.title()).toMatch(new RegExp(`^(?:\\(1\\) )?${titleOf("Activity")}$`));
    await page.evaluate(() => void (location.hash = "#/nothing"));
    await page.getByRole("heading", { level: 1, name: "Monitoring" }).waitFor();
    await page.goBack();
    await page.getByRole("heading", { level: 1, name: "Activity" }).waitFor();
  });

  longTest("the navigation has two groups of links, and a link also opens in another window", async () => {
    const server = await testServer(noPm2);
    const { page } = await openConsole(browser, server.url, { tab: "activity" });
    const navigation = page.getByRole("navigation", { name: "Console" });
    await expect
      .poll(() => navigation.getByRole("heading", { level: 2 }).allTextContents())
      .toEqual(["Operate", "Declare"]);
    await expect
      .poll(async () => (await navigation.getByRole("link").allInnerTexts()).map((text) => text.split("\n")[0]))
      .toEqual([
        "Monitoring",
        "Runtime environment",
        "Activity",
        "Logs",
        "Plan",
        "PM2 preview",
        "Service configuration",
        "Deploy targets",
        "Interfaces",
        "Export",
        "Import",
      ]);
    const [opened] = await Promise.all([
      page.context().waitForEvent("page"),
      navigation.getByRole("link", { name: "Deploy targets" }).click({ modifiers: ["ControlOrMeta"] }),
    ]);
    await opened.locator("#panel.targets").waitFor();
    await expect.poll(() => page.locator("#panel.activity").count()).toBe(1);
  });

  longTest("on a phone, a bar at the bottom has three views, and More has the others", async () => {
    const server = await testServer(noPm2);
    const { page } = await openConsole(browser, server.url, { tab: "activity", isPhone: true });
    const navigation = page.getByRole("navigation", { name: "Console" });
    const more = navigation.getByRole("button", { name: "More" });
    const bar = await navigation.boundingBox();
    expect((bar?.y ?? 0) + (bar?.height ?? 0)).toBe(SIZES.phone.height);
    await expect
      .poll(async () => (await navigation.getByRole("link").allInnerTexts()).map((text) => text.split("\n")[0]))
      .toEqual(["Monitoring", "Environment", "Activity"]);
    await more.click();
    await navigation.getByRole("link", { name: "Export" }).waitFor();
    await expectAccessible({ page });
    await navigation.getByRole("link", { name: "Deploy targets" }).click();
    await page.locator("#panel.targets").waitFor();
    await expect.poll(() => navigation.getByRole("link", { name: "Deploy targets" }).count()).toBe(0);
    await expect.poll(() => more.getAttribute("aria-current")).toBe("true");
    await more.click();
    await page.keyboard.press("Escape");
    await expect.poll(() => more.evaluate((button) => button === document.activeElement)).toBe(true);
  });

  longTest("the first Tab stop skips to the content", async () => {
    const server = await testServer(noPm2);
    const { page } = await openConsole(browser, server.url, { tab: "activity" });
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe("panel");
    expect(new URL(page.url()).hash).toBe("#/activity");
  });

  longTest("shortcuts: help, tabs by number, and turning all of them off", async () => {
    const server = await testServer(noPm2);
    const { page } = await openConsole(browser, server.url, { tab: "activity" });
    await page.keyboard.press("?");
    const help = page.getByRole("dialog", { name: "Keyboard shortcuts" });
    await help.getByText("Filter the records").waitFor();
    await expect.poll(() => axe(page)).toEqual([]);
    await page.keyboard.press("2");
    expect(new URL(page.url()).hash).toBe("#/activity");
    await page.keyboard.press("Escape");
    await help.waitFor({ state: "detached" });
    await page.keyboard.press("/");
    await page.keyboard.type("2");
    await expect.poll(() => page.getByRole("searchbox").inputValue()).toBe("2");
    await page.locator("h1").click();
    await page.keyboard.press("2");
    await page.locator("#tab-environment[aria-current=page]").waitFor();
    await page.getByRole("button", { name: "Keyboard shortcuts" }).click();
    await help.getByRole("checkbox", { name: "Use single-key shortcuts" }).uncheck();
    await page.keyboard.press("Escape");
    await page.keyboard.press("3");
    expect(new URL(page.url()).hash).toBe("#/environment?environment=dev");
  });

  longTest("the theme is the system's by default, and a choice is remembered", async () => {
    const server = await testServer(noPm2);
    const { page } = await openConsole(browser, server.url, { tab: "activity", theme: "dark" });
    const ground = () => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
    await expect.poll(() => ground()).toBe("rgb(13, 14, 18)");
    await page.getByRole("button", { name: "Theme: system. Change to light" }).click();
    await expect.poll(() => ground()).toBe("rgb(244, 245, 247)");
    await page.reload();
    await page.locator("#panel").waitFor();
    await expect.poll(() => ground()).toBe("rgb(244, 245, 247)");
    await page.getByRole("button", { name: "Theme: light. Change to dark" }).click();
    await expect.poll(() => ground()).toBe("rgb(13, 14, 18)");
  });

  longTest("if a server does not answer, that is reported, and the user can try again", async () => {
    const server = await testServer(noPm2);
    const { page } = await openConsole(browser, server.url, { tab: "activity", mayFail: true });
    await page.getByRole("status").getByText("Connected").waitFor();
    await server.close();
    await page.getByRole("button", { name: "Refresh" }).click();
    await page.getByText("The server cannot be reached.").waitFor();
    const again = await testServer({ ...noPm2, repository: server.repository, port: server.port });
    await page.getByRole("button", { name: "Refresh" }).click();
    await page.getByText("Nothing has happened in the last 7 days").waitFor();
    expect(again.port).toBe(server.port);
  });

  longTest("the navigation names the server and its workspace", async () => {
    const server = await testServer(noPm2);
    const { page } = await openConsole(browser, server.url, { tab: "activity" });
    const place = page.getByText("Workspace").locator("xpath=..");
    await place.getByText(server.repository.root, { exact: true }).waitFor();
    expect((await place.innerText()).split("\n")).toEqual([
      "Workspace",
      server.repository.root,
      new URL(server.url).host,
      "svcm 1.2.3",
    ]);
  });

  longTest("a newer server is reported, and a reload is offered", async () => {
    const server = await testServer(noPm2);
    const { page } = await openConsole(browser, server.url, { tab: "activity", mayFail: true });
    await page.getByText("svcm 1.2.3").waitFor();
    await server.close();
    await testServer({ ...noPm2, repository: server.repository, port: server.port, version: "1.3.0" });
    await page.evaluate(() => document.dispatchEvent(new Event("visibilitychange")));
    await page.getByText("The server is svcm 1.3.0 now.").waitFor();
    await page.getByRole("button", { name: "Reload" }).click();
    await page.getByText("svcm 1.3.0", { exact: true }).waitFor();
    await expect.poll(() => page.locator(".status-line").count()).toBe(0);
  });
});
