/// <reference lib="dom" />
/** Dialogs, toasts and the audit with content, in both themes, wide and on a phone. */
import { mkdirSync, rmSync } from "node:fs";
import { describe, expect } from "vitest";
import { hasBrowser, useBrowser } from "../browser/support.ts";
import { post, testServer } from "../server/support.ts";
import { expectAccessibleInEveryLook } from "./accessibility.ts";
import { openConsole } from "./open-console.ts";
import { longTest } from "../support/runs.ts";

const browser = useBrowser();
const TOKEN = "a-token-of-a-test-1234567890";
const env = { PM2_HOME: "/nowhere/pm2", SVC_SERVICE_MANAGEMENT_AUTH_TOKEN: TOKEN };
const bearer = { authorization: `Bearer ${TOKEN}` };

describe.skipIf(!hasBrowser)("accessible in every theme", () => {
  longTest("the audit with records, a failed audit, and the help", async () => {
    const server = await testServer({ env });
    await post(server, { values: { SVC_HTTP_FRAMEWORK: "fastify", SVC_DATABASE_DRIVER: "MySQL" } }, bearer);
    rmSync(server.repository.envFile("ci"));
    mkdirSync(server.repository.envFile("ci"));
    await post(server, { environment: "ci", values: { SVC_HTTP_FRAMEWORK: "fastify" } }, bearer);
    const { page } = await openConsole(browser, server.url, { tab: "activity" });
    await page.locator("tbody tr").first().waitFor();
    await expectAccessibleInEveryLook({ page });
    await page.getByRole("button", { name: "Keyboard shortcuts" }).click();
    await page.getByRole("dialog").waitFor();
    await expectAccessibleInEveryLook({ page });
  });

  longTest("the token dialog, at first and after a wrong token, and errors in toasts", async () => {
    const server = await testServer({ env });
    const open = await openConsole(browser, server.url, { tab: "environment", mayFail: true });
    const { page, field, button } = open;
    await field("HTTP framework").selectOption("fastify");
    await button("Save").click();
    await page.getByRole("dialog").waitFor();
    await expectAccessibleInEveryLook(open);
    await field("Token").fill("a-wrong-token-of-sixteen");
    await button("Continue").click();
    await page.getByText("The server refused that token.").waitFor();
    await expectAccessibleInEveryLook(open);
    await button("Cancel").click();
    await page.locator(".save-bar .problem").waitFor();
    await page.evaluate(() => {
      document.execCommand = () => false;
      navigator.clipboard.writeText = () => Promise.reject(new Error("refused"));
    });
    for (let time = 0; time < 2; time += 1) await button("Copy the path").click();
    await page.locator(".toast .count").waitFor();
    await expectAccessibleInEveryLook(open);
    await expect.poll(() => page.locator(".toast.error").count()).toBe(1);
  });
});
