/// <reference lib="dom" />
/** Everyday tasks with the address of the console. */
import { expect } from "vitest";
import { switchboard } from "../browser/support.ts";
import { testServer } from "../server/support.ts";
import { monitored } from "./everyday-tasks.ts";
import { openConsole, type Browser } from "./open-console.ts";
import { copiesOf, counted, longTask } from "./task.ts";

export function placeTasks(browser: Browser): void {
  longTask("share exactly what is on the page", { clicks: 1, first: "impossible" }, async () => {
    const { page, give, telemetry, server, button, clicks } = await monitored(browser, {
      tab: "monitoring?find=th&sort=-memory&range=1m&open=0+auth",
    });
    const processes = [{ name: "auth" }, { name: "mailer" }, { name: "other", memoryBytes: 2 ** 40 }];
    give(processes);
    await page.getByRole("region", { name: /^Facts of auth/ }).waitFor();
    const copied = await copiesOf(page);
    await button("Copy the link to this view").click();
    const link = await copied();
    expect(new URL(link).origin).toBe(server.url);
    const other = await openConsole(browser, server.url, { tab: new URL(link).hash.replace("#/", "") });
    await telemetry.watchers(2);
    give(processes);
    await other.page.getByRole("region", { name: /^Facts of auth/ }).waitFor();
    await expect.poll(() => other.page.locator("tbody .name").allTextContents()).toEqual(["other", "auth"]);
    await expect.poll(() => other.page.getByRole("radio", { name: "1m" }).isChecked()).toBe(true);
    return clicks;
  });

  longTask("open the console through a forwarded port", { clicks: 0, first: 0 }, async () => {
    const forwarder = await switchboard();
    const server = await testServer({ env: { PM2_HOME: "/nowhere/pm2" } });
    forwarder.pointTo(server.port);
    const { page } = await openConsole(browser, `http://localhost:${forwarder.port}`);
    await page.getByText("The processes of PM2 cannot be read").waitFor();
    return await counted(page);
  });
}
