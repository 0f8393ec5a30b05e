/// <reference lib="dom" />
/** The console by keyboard alone. The stored document has its own keyboard tests. */
import { describe, expect, test } from "vitest";
import { tabIds } from "../../src/console/state/address.ts";
import { hasBrowser, useBrowser } from "../browser/support.ts";
import { post, testServer } from "../server/support.ts";
import { environmentPage } from "./environment-page.ts";
import { focused, press, tabTo } from "./keyboard.ts";
import { openConsole, type ConsoleOptions } from "./open-console.ts";
import { pm2Page } from "./pm2-page.ts";
import { longTest } from "../support/runs.ts";

/** Without a fleet, the console shows no nodes. */
const ownTabs = tabIds.filter((id) => id !== "nodes");

const browser = useBrowser();
const TOKEN = "a-token-of-a-test-1234567890";

async function auditPage(options: ConsoleOptions = {}) {
  const server = await testServer();
  await post(server, { values: { SVC_HTTP_FRAMEWORK: "fastify" } });
  await post(server, { environment: "ci", values: { SVC_DATABASE_DRIVER: "MySQL" } });
  const opened = await openConsole(browser, server.url, { tab: "activity", ...options });
  await opened.page.locator("tbody tr").nth(1).waitFor();
  return { server, ...opened };
}

describe.skipIf(!hasBrowser)("the environment, by keyboard alone", () => {
  test("is selected, edited, compared and saved", async () => {
    const open = await environmentPage(browser);
    const { page } = open;
    await open.field("HTTP framework").waitFor();
    await tabTo(page, /^Environment/);
    await page.keyboard.type("staging");
    await page.getByText(/^Saving writes .*\/\.env\.staging only$/).waitFor();
    await expect.poll(() => focused(page)).toMatch(/^Environment/);
    await tabTo(page, "HTTP framework");
    await page.keyboard.type("restify");
    await tabTo(page, "WebSocket Redis URL");
    await page.keyboard.type("redis://typed");
    await tabTo(page, "Compare staging with");
    await page.keyboard.type("ci");
    await page.getByLabel("Differences between staging and ci").waitFor();
    await tabTo(page, "Save");
    await press(page, "Enter");
    await page.getByText("Saved 2 keys to .env.staging.").waitFor();
    expect(open.text("staging")).toMatch(/SVC_HTTP_FRAMEWORK=restify[\s\S]*SVC_WEBSOCKET_REDIS_URL=redis:\/\/typed/);
    expect(open.posts).toHaveLength(1);
  });

  longTest("a conflict receives the focus, is resolved, and saved", async () => {
    const open = await environmentPage(browser, { mayFail: true });
    const { page } = open;
    await open.field("HTTP framework").waitFor();
    await tabTo(page, "HTTP framework");
    await page.keyboard.type("fastify");
    open.changeFile("SVC_DATABASE_DRIVER=Mongo\n");
    await tabTo(page, "Save");
    await press(page, "Enter");
    await page.locator(":focus", { hasText: "was changed meanwhile" }).waitFor();
    await press(page, "Tab");
    await expect.poll(() => focused(page)).toBe("Discard edits, take the file");
    await press(page, "Tab", "Enter");
    await page.locator("[aria-label=Changes]:focus").waitFor();
    await tabTo(page, "Save");
    await press(page, "Enter");
    await page.getByText("Saved 1 key to .env.dev.").waitFor();
    expect(open.text()).toMatch(/SVC_HTTP_FRAMEWORK=fastify[\s\S]*SVC_DATABASE_DRIVER=Mongo\n$/);
  });

  longTest("the token is entered in the dialog, and the save continues", async () => {
    const env = { SVC_SERVICE_MANAGEMENT_AUTH_TOKEN: TOKEN };
    const open = await environmentPage(browser, { env, mayFail: true });
    const { page } = open;
    await open.field("HTTP framework").waitFor();
    await tabTo(page, "HTTP framework");
    await page.keyboard.type("fastify");
    await tabTo(page, "Save");
    await press(page, "Enter");
    const dialog = page.getByRole("dialog", { name: /^Enter the access token of / });
    await dialog.waitFor();
    await press(page, "Escape");
    await dialog.waitFor({ state: "detached" });
    await page.locator(".save-bar .problem").waitFor();
    await tabTo(page, "Save");
    await press(page, "Enter");
    await dialog.waitFor();
    await expect.poll(() => focused(page)).toBe("Token");
    await page.keyboard.type(TOKEN);
    await press(page, "Enter");
    await page.getByText("SVC_HTTP_FRAMEWORK is now fastify").waitFor();
    expect(open.text()).toContain("SVC_HTTP_FRAMEWORK=fastify\n");
  });
});

describe.skipIf(!hasBrowser)("other tabs, by keyboard alone", () => {
  longTest("the PM2 preview: environment, service kind, copy", async () => {
    const open = await pm2Page(browser);
    const { page } = open;
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await tabTo(page, /^Environment/);
    await press(page, "ArrowDown");
    await page.getByText("6 apps").waitFor();
    await press(page, "ArrowUp");
    await page.getByText("3 apps").waitFor();
    await tabTo(page, "Service kind");
    await page.keyboard.type("gRPC");
    await page.getByText(/^Starts .*restapi, .*grpcapi and nothing else\.$/).waitFor();
    await tabTo(page, "Copy the command of the service kind");
    await press(page, "Enter");
    await page.getByText("Copied the command of the service kind.").waitFor();
    await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe(await open.command());
    await tabTo(page, "Read the file again");
    await press(page, "Enter");
    await page.getByText(/^Read .* again: 3 apps\.$/).waitFor();
  });

  longTest("the audit: filter, refresh", async () => {
    const { page, server } = await auditPage();
    const rows = page.locator("tbody tr:not(.day)");
    await press(page, "/");
    await page.keyboard.type("ci");
    await expect.poll(() => rows.count()).toBe(1);
    await page.keyboard.press("ControlOrMeta+a");
    await press(page, "Delete");
    await post(server, { values: { SVC_HTTP_FRAMEWORK: "restify" } });
    await tabTo(page, "Refresh");
    await press(page, "Enter");
    await rows.nth(2).waitFor();
  });

  longTest("closing the help returns the focus; shortcuts can be turned off in it", async () => {
    const { page } = await auditPage();
    await tabTo(page, "Refresh");
    await press(page, "?");
    const help = page.getByRole("dialog", { name: "Keyboard shortcuts" });
    await help.waitFor();
    const listed = await help.locator("dt").allTextContents();
    expect(listed).toEqual([
      "Ctrl K",
      "← → Home End",
      "Enter",
      "+ −",
      "Esc",
      "?",
      "1",
      "2",
      "3",
      "4",
      "5",
      "6",
      "7",
      "8",
      "9",
      "/",
    ]);
    await tabTo(page, "Use single-key shortcuts");
    await press(page, " ", "Escape");
    await help.waitFor({ state: "detached" });
    await expect.poll(() => focused(page)).toBe("Refresh");
    await press(page, "?");
    await expect.poll(() => page.getByRole("dialog").count()).toBe(0);
    await tabTo(page, "Keyboard shortcuts");
    await press(page, "Enter");
    await help.waitFor();
  });

  longTest("each tab opens by its number; keys do nothing while the user types", async () => {
    const { page } = await auditPage();
    for (const [at, id] of ownTabs.slice(0, 9).entries()) {
      await press(page, String(at + 1));
      await page.locator(`#panel.${id}`).waitFor();
    }
    await press(page, String(ownTabs.indexOf("targets") + 1));
    await tabTo(page, "Name");
    await page.keyboard.type("1?/");
    await expect.poll(() => page.getByLabel("Name", { exact: true }).inputValue()).toBe("1?/");
    expect(new URL(page.url()).hash).toBe("#/targets");
  });

  longTest("the theme, and the tabs", async () => {
    const { page } = await auditPage();
    await tabTo(page, /^Theme: system/);
    await press(page, "Enter");
    await expect.poll(() => focused(page)).toBe("Theme: light. Change to dark");
    await press(page, "Enter");
    await expect.poll(() => page.evaluate(() => document.documentElement.dataset["theme"])).toBe("dark");
    await tabTo(page, "Activity");
    await tabTo(page, "Interfaces");
    await press(page, "Enter");
    await page.getByRole("heading", { level: 1, name: "Interfaces" }).waitFor();
    await expect.poll(() => focused(page)).toBe("Interfaces");
  });

  longTest("the focus is visible on every element, and never trapped", async () => {
    const { page } = await auditPage();
    for (const tab of ownTabs) {
      await page.evaluate((id) => void (location.hash = `#/${id}`), tab);
      await page.locator(`#panel.${tab}`).waitFor();
      await page.locator("nav a[aria-current=page]").last().focus();
      const unseen: string[] = [];
      let stops = 0;
      for (await press(page, "Tab"); (await stopOf(page)) !== "end"; await press(page, "Tab")) {
        if ((await stopOf(page)) === "unseen") unseen.push(await focused(page));
        if ((stops += 1) > 300) throw new Error(`${tab}: the focus never leaves`);
      }
      expect({ tab, unseen }).toEqual({ tab, unseen: [] });
      expect(stops).toBeGreaterThan(0);
    }
  });
});

/** Returns whether the focused element or its label shows the focus; `end` after the last one. */
function stopOf(page: Awaited<ReturnType<typeof auditPage>>["page"]): Promise<"seen" | "unseen" | "end"> {
  return page.evaluate(() => {
    const element = document.activeElement;
    if (element === null || element === document.body || element.matches(".skip")) return "end";
    const marks = [element, element.closest("label")].filter((one) => one !== null);
    const isSeen = marks.some((one) => {
      const { outlineStyle, outlineWidth } = getComputedStyle(one);
      return outlineStyle !== "none" && Number.parseFloat(outlineWidth) > 0 && one.getBoundingClientRect().width > 4;
    });
    return isSeen ? "seen" : "unseen";
  });
}
