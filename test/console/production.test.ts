/// <reference lib="dom" />
import { hostname } from "node:os";
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { hasBrowser, useBrowser } from "../browser/support.ts";
import { axe, expectAccessibleInEveryLook } from "./accessibility.ts";
import { handMonitoring, metricsOf } from "./hand-monitoring.ts";
import { longTest } from "../support/runs.ts";

const browser = useBrowser();

async function inEnvironment(NODE_ENV: string) {
  const open = await handMonitoring(browser, { server: { env: { NODE_ENV } } });
  await open.telemetry.watchers(1);
  open.give([{ name: "shop-restapi" }, { name: "worker", status: "stopped" }]);
  await open.page.locator(".process-name").first().waitFor();
  return open;
}

async function refused(page: Page, title: string): Promise<void> {
  const dialog = page.getByRole("dialog", { name: title });
  await dialog.waitFor();
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
}

describe.skipIf(!hasBrowser)("production", () => {
  longTest("has a banner, and its name and host in the header and the title", async () => {
    const open = await inEnvironment("production");
    const { page } = open;
    const head = page.getByRole("banner");
    await expect.poll(() => head.getByRole("combobox", { name: "Environment" }).inputValue()).toBe("production");
    await expect.poll(() => page.title()).toBe(`Monitoring · ${hostname()} production`);
    await expect.poll(() => head.getAttribute("class")).toContain("production");
    await expectAccessibleInEveryLook(open);
    await page.emulateMedia({ forcedColors: "active" });
    await expect.poll(() => head.evaluate((element) => getComputedStyle(element).borderBottomWidth)).toBe("3px");
    await expect.poll(() => axe(page)).toEqual([]);
  });

  longTest("another environment has neither, unless its processes are compared with production", async () => {
    const { page } = await inEnvironment("dev");
    const head = page.getByRole("banner");
    await expect.poll(() => page.title()).toBe(`Monitoring · ${hostname()} dev`);
    await expect.poll(() => head.getAttribute("class")).not.toContain("production");
    await page.getByRole("combobox", { name: "Environment", exact: true }).selectOption("production");
    await page.locator("header.production").waitFor();
    await expect.poll(() => page.title()).toBe(`Monitoring · ${hostname()} production`);
  });

  test("stopping asks for the name of the app; any other text keeps it running", async () => {
    const { page, give, button, field, questions } = await inEnvironment("production");
    const dialog = page.getByRole("dialog", { name: "Stop shop-restapi in production?" });
    const stop = dialog.getByRole("button", { name: "Stop" });
    await button("Stop shop-restapi").click();
    await expect.poll(() => stop.isDisabled()).toBe(true);
    await field("Type shop-restapi").fill("shop-rest");
    await page.keyboard.press("Enter");
    await expect.poll(() => stop.isDisabled()).toBe(true);
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    give([{ name: "shop-restapi" }]);
    await button("Stop shop-restapi").click();
    await field("Type shop-restapi").fill("shop-restapi");
    await page.keyboard.press("Enter");
    await dialog.waitFor({ state: "detached" });
    // The action was sent; no PM2 runs in this test.
    await page.locator(".toast.error").getByText("stop of shop-restapi").waitFor();
    expect(questions).toEqual([]);
  });

  longTest("the question for the name is accessible in every theme", async () => {
    const open = await inEnvironment("production");
    await open.button("Stop shop-restapi").click();
    await open.page.getByText(`${hostname()} serves production.`).waitFor();
    await expectAccessibleInEveryLook(open);
  });

  longTest("a restart, one with the ecosystem file and one of all instances ask for the name too", async () => {
    const { page, give, button, questions } = await inEnvironment("production");
    const drift = {
      name: "worker",
      pmIds: [2],
      field: "env",
      key: "A",
      state: "absent",
      declared: null,
      running: null,
    } as const;
    const both = { name: "shop-restapi", script: "/srv/api.cjs" };
    give([both, both, { name: "worker" }], { drift: [drift] });
    await button("Restart shop-restapi, all 2 instances").click();
    await refused(page, "Restart shop-restapi in production?");
    await page.locator("button.process-name[title=worker]").click();
    await button("Restart with the ecosystem file").click();
    await refused(page, "Restart worker in production?");
    await page.locator(".detail").getByRole("button", { name: "Restart", exact: true }).click();
    await refused(page, "Restart worker in production?");
    expect(questions).toEqual([]);
  });

  longTest("a restart of apps after a save asks for the name of the environment", async () => {
    const staleProcesses = ["api", "web"].map((name, at) => ({ name, pmIds: [at], scope: "process" as const }));
    const read = async () => ({ staleProcesses, overrides: [], elsewhere: [] });
    const world = <Ports extends object>(ports: Ports) => ({ ...ports, effects: { read } });
    const server = { env: { NODE_ENV: "production" }, world };
    const open = await handMonitoring(browser, { tab: "environment", server });
    const { page, telemetry, field, button } = open;
    Object.assign(telemetry, { collect: async () => metricsOf(Date.now(), [{ name: "api" }, { name: "web" }]) });
    await page.getByRole("combobox", { name: "Environment", exact: true }).selectOption("dev");
    await field("HTTP framework").selectOption("fastify");
    await button("Save").click();
    await button("Restart 2, one after another").click();
    await field("Type production").fill("api");
    await expect.poll(() => page.getByRole("dialog").getByRole("button", { name: "Restart" }).isDisabled()).toBe(true);
    await refused(page, "Restart api, web in production?");
    await page
      .getByRole("group", { name: "Still running with the old values" })
      .getByRole("checkbox")
      .first()
      .waitFor();
    await expect.poll(() => page.getByText("not restarted").count()).toBe(0);
  });
});
