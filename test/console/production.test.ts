/// <reference lib="dom" />
/** A console in production looks different, and stopping asks for the name. */
import { hostname } from "node:os";
import { describe, expect, test } from "vitest";
import { hasBrowser, useBrowser } from "../browser/support.ts";
import { axe, expectAccessibleInEveryLook } from "./accessibility.ts";
import { handMonitoring } from "./hand-monitoring.ts";

const browser = useBrowser();

async function inEnvironment(NODE_ENV: string) {
  const open = await handMonitoring(browser, { server: { env: { NODE_ENV } } });
  await open.telemetry.watchers(1);
  open.give([{ name: "shop-restapi" }, { name: "worker", status: "stopped" }]);
  await open.page.locator(".process-name").first().waitFor();
  return open;
}

describe.skipIf(!hasBrowser)("production", () => {
  test("has a band, and its name and host in the head and the title", async () => {
    const open = await inEnvironment("production");
    const { page } = open;
    const head = page.getByRole("banner");
    expect(await head.locator(".whose").innerText()).toBe(`${hostname()}\nproduction`);
    expect(await page.title()).toBe(`Monitoring · ${hostname()} production`);
    expect(await head.getAttribute("class")).toContain("production");
    await expectAccessibleInEveryLook(open);
    await page.emulateMedia({ forcedColors: "active" });
    expect(await head.evaluate((element) => getComputedStyle(element).borderBottomWidth)).toBe("3px");
    expect(await axe(page)).toEqual([]);
  });

  test("another environment has neither, until its processes are compared with production", async () => {
    const { page } = await inEnvironment("dev");
    const head = page.getByRole("banner");
    expect(await page.title()).toBe(`Monitoring · ${hostname()} dev`);
    expect(await head.getAttribute("class")).not.toContain("production");
    await page.getByLabel("Compare with").selectOption("production");
    await page.locator("header.production").waitFor();
    expect(await page.title()).toBe(`Monitoring · ${hostname()} production`);
  });

  test("stopping asks for the name of the app; anything else keeps it running", async () => {
    const { page, give, button, field, asked } = await inEnvironment("production");
    const dialog = page.getByRole("dialog", { name: "Stop shop-restapi in production?" });
    const stop = dialog.getByRole("button", { name: "Stop" });
    await button("Stop shop-restapi").click();
    expect(await stop.isDisabled()).toBe(true);
    await field("Type shop-restapi").fill("shop-rest");
    await page.keyboard.press("Enter");
    expect(await stop.isDisabled()).toBe(true);
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    give([{ name: "shop-restapi" }]);
    await button("Stop shop-restapi").click();
    await field("Type shop-restapi").fill("shop-restapi");
    await page.keyboard.press("Enter");
    await dialog.waitFor({ state: "detached" });
    // The action was sent: the PM2 of this test does not run.
    await page.locator(".toast.error").getByText("stop of shop-restapi").waitFor();
    expect(asked).toEqual([]);
  });

  test("the question for the name is accessible in every look", async () => {
    const open = await inEnvironment("production");
    await open.button("Stop shop-restapi").click();
    await open.page.getByText(`${hostname()} serves production.`).waitFor();
    await expectAccessibleInEveryLook(open);
  });

  test("a restart asks with one click, as elsewhere", async () => {
    const { page, button, answerNext } = await inEnvironment("production");
    const question = answerNext(false);
    await button("Restart shop-restapi").click();
    expect(await question).toBe("Restart shop-restapi (PM2 id 0)?");
    expect(await page.getByRole("dialog").count()).toBe(0);
  });
});
