/// <reference lib="dom" />
/** Everyday tasks with the address of the console. */
import { expect } from "vitest";
import { switchboard } from "../browser/support.ts";
import { testServer } from "../server/support.ts";
import { monitored } from "./everyday-tasks.ts";
import { openConsole, type Browser } from "./open-console.ts";
import { copiesOf, counted, inEveryWay } from "./task.ts";

export function placeTasks(browser: Browser): void {
  const { longTask } = inEveryWay;
  longTask("share exactly what is on the page", { clicks: 1, first: "impossible" }, async (by) => {
    const { page, give, telemetry, server, button, clicks } = await monitored(by, browser, {
      tab: "monitoring?find=th&sort=-memory&range=1m&process=0+auth",
    });
    const processes = [{ name: "auth" }, { name: "mailer" }, { name: "other", memoryBytes: 2 ** 40 }];
    give(processes);
    await page.getByRole("region", { name: /^Facts of auth/ }).waitFor();
    const copied = await copiesOf(page);
    await by.press(button("Copy the link to this view"));
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

  longTask("open the console through a forwarded port", { clicks: 0, first: 0 }, async (by) => {
    const forwarder = await switchboard();
    const server = await testServer();
    forwarder.pointTo(server.port);
    const { page } = await openConsole(browser, `http://localhost:${forwarder.port}`, by.look);
    await page.getByText("The processes of PM2 cannot be read").waitFor();
    return await counted(page);
  });
}
