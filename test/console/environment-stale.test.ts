/// <reference lib="dom" />
/** After a save: who still runs with the old values. */
import { describe, expect, test } from "vitest";
import { hasBrowser, useBrowser } from "../browser/support.ts";
import { expectAccessible } from "./accessibility.ts";
import { handMonitoring, metricsOf } from "./hand-monitoring.ts";

const browser = useBrowser();

describe.skipIf(!hasBrowser)("after a save", () => {
  test("the page names the processes that read the file before, and the way to restart them", async () => {
    const open = await handMonitoring(browser, { tab: "environment" });
    const { page, telemetry, server, field, button } = open;
    const path = server.repository.envFile("dev");
    const stale = { field: "envFile" as const, state: "stale" as const, key: null, running: null };
    const drift = [
      { ...stale, name: "dev-restapi", pmIds: [0], declared: path },
      { ...stale, name: "dev-websocketapi", pmIds: [1], declared: path },
      { ...stale, name: "other", pmIds: [2], declared: server.repository.envFile("staging") },
    ];
    Object.assign(telemetry, { collect: async () => metricsOf(Date.now(), [{ name: "dev-restapi" }], { drift }) });
    await field("HTTP framework").selectOption("fastify");
    await button("Save").click();
    const words = page.getByText(/^Still running with the old values/);
    await words.waitFor();
    expect(await words.textContent()).toBe(
      "Still running with the old values: dev-restapi, dev-websocketapi. Restart them in Monitoring.",
    );
    await expectAccessible(open);
    await page.getByRole("link", { name: "Monitoring" }).last().click();
    await page.getByRole("heading", { level: 1, name: "Monitoring" }).waitFor();
  });

  test("the page is silent if PM2 cannot be read", async () => {
    const { page, field, button } = await handMonitoring(browser, { tab: "environment" });
    const answered = page.waitForResponse((response) => response.url().includes("/pm2-metrics?"));
    await field("HTTP framework").selectOption("fastify");
    await button("Save").click();
    await page.getByText("Saved 1 key to .env.dev.").waitFor();
    expect((await answered).status()).toBe(500);
    expect(await page.getByText("Still running").count()).toBe(0);
  });
});
