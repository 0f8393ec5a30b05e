/// <reference lib="dom" />
/** Mutes, notes and proposals in the attention of Monitoring. */
import { describe, expect, test } from "vitest";
import { hasBrowser, useBrowser } from "../browser/support.ts";
import { ask } from "../server/support.ts";
import { nightEcosystem, nightProcesses } from "../support/bad-night.ts";
import { longTest } from "../support/runs.ts";
import { expectAccessible } from "./accessibility.ts";
import { handMonitoring, metricsOf } from "./hand-monitoring.ts";
import { titleOf } from "./open-console.ts";

const browser = useBrowser();

describe.skipIf(!hasBrowser)("a known trouble", () => {
  test("is muted with two clicks and counted as such; another kind of trouble of the app is not", async () => {
    const { page, telemetry, give, server, button, field } = await handMonitoring(browser, { mayFail: true });
    await telemetry.watchers(1);
    give(nightProcesses, nightEcosystem);
    const inbox = page.getByRole("region", { name: "Attention" });
    const card = inbox.getByRole("listitem").filter({ hasText: "feed-importer" });
    await card.getByRole("button", { name: "Mute…" }).click();
    await page.getByText("Mutes: errored. A new kind of trouble is not muted.").waitFor();
    await field("Reason").fill("the feed is down until Monday");
    await page.getByRole("dialog").getByRole("button", { name: "Mute", exact: true }).click();
    await expect.poll(() => inbox.locator(".state-line").innerText()).toMatch(/(?:^|: )11 apps need attention/);
    await expect.poll(() => page.title()).toBe(titleOf("(11) Monitoring"));
    await inbox.getByText("1 muted").click();
    await inbox.getByText("the feed is down until Monday").waitFor();
    const { json } = await ask(server, "/api/marks");
    expect(json.marks).toMatchObject([{ subject: "feed-importer", mute: { kinds: ["PROCESS_ERRORED"] } }]);
    const hung = { code: "PROCESS_HUNG", details: "It does not accept connections." } as const;
    give([{ name: "feed-importer", state: "hung", problem: hung }]);
    await inbox.getByText("It does not accept connections.").waitFor();
    await expect.poll(() => inbox.locator(".state-line").innerText()).toMatch(/(?:^|: )1 app needs attention/);
    await expectAccessible({ page });
    // PM2 is silent: nothing is known of the apps, but the mute is still there.
    const { payload } = metricsOf(Date.now() + 60_000, []);
    const error = { code: "PM2_TIMEOUT", details: "PM2 did not respond within 5 s." } as const;
    telemetry.give({ kind: "host", payload: { collectedAt: payload.collectedAt, host: payload.host }, error });
    await expect.poll(() => inbox.locator(".state-line").innerText()).toMatch(/^PM2 does not answer/);
    expect(await inbox.getByText("the feed is down until Monday").isVisible()).toBe(true);
    give(nightProcesses, nightEcosystem);
    await inbox.getByText("1 muted").waitFor();
    await button("End the mute").click();
    await expect.poll(() => page.title()).toBe(titleOf("(12) Monitoring"));
    // Of declared apps that PM2 does not know, all are muted at once.
    give([{ name: "api" }], { missingExpected: ["mailer", "search"] });
    const absent = inbox.getByRole("listitem").filter({ hasText: "2 declared apps do not run" });
    await absent.getByRole("button", { name: "Mute…" }).click();
    await field("Reason").fill("they move to another machine");
    await page.getByRole("dialog", { name: "Mute mailer, search" }).getByRole("button", { name: "Mute" }).click();
    await expect.poll(() => inbox.locator(".state-line").innerText()).toMatch(/^No app needs attention/);
    await inbox.getByText("2 muted").click();
    await inbox.getByText(/^search, not known to PM2, until .*: they move to another machine/).waitFor();
  });

  longTest("has a note that the next user reads", async () => {
    const { page, telemetry, give, field } = await handMonitoring(browser, { mayFail: true });
    await telemetry.watchers(1);
    give(nightProcesses, nightEcosystem);
    const card = page.getByRole("region", { name: "Attention" }).getByRole("listitem").filter({ hasText: "consumer" });
    await card.getByRole("button", { name: "Note…" }).click();
    await field("Note").fill("Ann knows");
    await page.getByRole("dialog").getByRole("button", { name: "Note", exact: true }).click();
    await card.getByText(/: Ann knows$/).waitFor();
  });
});

describe.skipIf(!hasBrowser)("the command bar", () => {
  test("goes to the log of an app by a part of its name, by keyboard alone", async () => {
    const { page, telemetry, give } = await handMonitoring(browser, { mayFail: true });
    await telemetry.watchers(1);
    give([{ name: "orders-api" }, { name: "web" }]);
    await page.locator(".process-name").first().waitFor();
    await page.keyboard.press("Control+k");
    const bar = page.getByRole("dialog", { name: "Go to" });
    await bar.getByRole("option", { name: "Open Monitoring" }).waitFor();
    await page.keyboard.type("nodes");
    await bar.getByText("Nothing has this name.").waitFor();
    await bar.getByRole("combobox").fill("");
    await page.keyboard.type("ord log");
    await expect.poll(() => bar.getByRole("option").allTextContents()).toEqual(["orders-api: log"]);
    await expectAccessible({ page });
    await page.keyboard.press("Enter");
    await page.waitForURL(/#\/logs\?apps=orders-api$/);
    await page.getByRole("log", { name: "Log of orders-api" }).waitFor();
    await expect.poll(() => bar.count()).toBe(0);
  });
});
