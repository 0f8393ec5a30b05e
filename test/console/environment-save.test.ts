/// <reference lib="dom" />
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { hasBrowser, useBrowser } from "../browser/support.ts";
import { REPOSITORY } from "../support/command-line.ts";
import { canMount, mount } from "../support/machine.ts";
import { CONFIG_FOLDER, GOOD_ENV, makeWorkspace } from "../support/workspace.ts";
import { tabTo } from "./keyboard.ts";
import { environmentPage, flat, referenceFiles } from "./environment-page.ts";
import { longTest } from "../support/runs.ts";

const browser = useBrowser();

describe.skipIf(!hasBrowser)("a save", () => {
  longTest("sends only the changed keys and the version that was read, and lists what the server changed", async () => {
    const open = await environmentPage(browser);
    const [before, others] = [open.text(), [open.text("staging"), open.text("ci")]];
    const { headers } = await fetch(`${open.server.url}/api/runtime/env?environment=dev`);
    await open.field("HTTP framework").selectOption("fastify");
    await open.field("Realtime database driver").selectOption("MS SQL");
    const list = open.page.getByRole("list", { name: "Old and new values" });
    expect((await list.getByRole("listitem").allInnerTexts()).map(flat)).toEqual([
      "SVC_HTTP_FRAMEWORK express becomes fastify",
      "SVC_REALTIME_API_DATABASE_DRIVER PostgreSQL becomes MS SQL",
    ]);
    expect(open.posts).toEqual([]);
    await open.save();
    await open.page.getByText("Saved 2 keys to .env.dev.").waitFor();
    const changes = flat(await open.page.getByRole("region", { name: "Changes" }).innerText());
    expect(changes).toContain("SVC_HTTP_FRAMEWORK is now fastify");
    expect(changes).toContain("SVC_REALTIME_API_DATABASE_DRIVER is now MS SQL");
    const values = { SVC_HTTP_FRAMEWORK: "fastify", SVC_REALTIME_API_DATABASE_DRIVER: "MS SQL" };
    expect(open.posts).toEqual([{ ifMatch: headers.get("etag"), body: { environment: "dev", values } }]);
    expect(open.text()).toBe(
      before.replace("FRAMEWORK=express", "FRAMEWORK=fastify").replace("DRIVER=PostgreSQL", "DRIVER='MS SQL'"),
    );
    expect([open.text("staging"), open.text("ci")]).toEqual(others);
    await open.field("HTTP framework").selectOption("restify");
    await open.save();
    await open.page.getByText("Saved 1 key to .env.dev.").waitFor();
    expect(open.posts[1]?.body).toEqual({ environment: "dev", values: { SVC_HTTP_FRAMEWORK: "restify" } });
  });

  longTest("is not offered without changes, also after changes are reverted or discarded", async () => {
    const open = await environmentPage(browser);
    const before = open.text();
    await open.field("HTTP framework").waitFor();
    await expect.poll(() => open.button("Save").count()).toBe(0);
    await open.field("HTTP framework").selectOption("fastify");
    await open.button("Save").waitFor();
    await open.field("HTTP framework").selectOption("express");
    await open.button("Save").waitFor({ state: "detached" });
    await open.field("HTTP framework").selectOption("fastify");
    await open.button("Discard").click();
    await expect.poll(() => open.field("HTTP framework").inputValue()).toBe("express");
    expect([open.posts, open.text()]).toEqual([[], before]);
    expect(readdirSync(open.files.root)).not.toContain(".svcm");
  });

  longTest("is disabled until the Redis URL is valid; credentials are not repeated", async () => {
    const open = await environmentPage(browser);
    const url = open.field("WebSocket Redis URL");
    for (const [typed, message] of [
      ["http://host", /unsupported value "http:\/\/host"; accepted: redis:/],
      ["redis://me:canary@host", /"redis:\/\/\[REDACTED\]@host" carries credentials/],
    ] as const) {
      await url.fill(typed);
      await expect.poll(() => url.getAttribute("aria-invalid")).toBe("true");
      const about = open.page.locator(`[id="${await url.getAttribute("aria-describedby")}"]`);
      await expect.poll(() => about.innerText()).toMatch(message);
      await open.page.getByText("1 problem to fix before saving").waitFor();
      await expect.poll(() => open.button("Save").isDisabled()).toBe(true);
      await expect.poll(() => open.page.locator("main").innerText()).not.toContain("canary");
    }
    await url.fill("rediss://host:6380");
    await open.save();
    await open.page.getByText("SVC_WEBSOCKET_REDIS_URL is now rediss://host:6380").waitFor();
    expect(open.posts).toHaveLength(1);
    expect(open.text()).toContain("\nSVC_WEBSOCKET_REDIS_URL=rediss://host:6380\n");
  });

  longTest("keeps the server's warnings visible until they are dismissed", async () => {
    const open = await environmentPage(browser, { prepare: (page) => page.clock.install() });
    await open.field("WebSocket Redis URL").fill("redis://$cache:6379");
    await open.save();
    const warnings = open.page.getByRole("list", { name: "Warnings about .env.dev" });
    await warnings.getByText(/^SVC_WEBSOCKET_REDIS_URL: .*\$/).waitFor();
    await open.page.clock.runFor(60_000);
    await expect.poll(() => warnings.isVisible()).toBe(true);
    await open.button("Dismiss").click();
    await warnings.waitFor({ state: "detached" });
  });

  longTest("shows Saving… on its button until the server answers", async () => {
    const open = await environmentPage(browser);
    let release: () => void = () => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    await open.page.route("**/api/runtime/env", async (route) => {
      await released;
      await route.continue();
    });
    await open.field("HTTP framework").selectOption("fastify");
    await open.save();
    await open.button("Saving…").waitFor();
    release();
    await open.page.getByText("Saved 1 key to .env.dev.").waitFor();
    await expect.poll(() => open.button("Saving…").count()).toBe(0);
  });

  longTest("can be made with the keyboard alone", async () => {
    const open = await environmentPage(browser);
    const { page } = open;
    await open.field("HTTP framework").waitFor();
    await tabTo(page, "HTTP framework");
    await page.keyboard.press("ArrowDown");
    await tabTo(page, "Save");
    await page.keyboard.press("Enter");
    await page.getByText("SVC_HTTP_FRAMEWORK is now fastify").waitFor();
    expect(open.text()).toContain("SVC_HTTP_FRAMEWORK=fastify\n");
    await expect.poll(() => page.locator(":focus").getAttribute("aria-label")).toBe("Changes");
  });

  test.skipIf(!canMount)("onto a full disk shows error, details, code and path, and keeps the edit", async () => {
    const files = makeWorkspace({});
    mount(files.path(CONFIG_FOLDER), "-t", "tmpfs", "-o", "size=64k", "tmpfs");
    files.write(`${CONFIG_FOLDER}/.env.dev`, GOOD_ENV);
    const open = await environmentPage(browser, { files, mayFail: true });
    await open.field("HTTP framework").selectOption("fastify");
    expect(() => files.write(`${CONFIG_FOLDER}/ballast`, Buffer.alloc(2 ** 20))).toThrow("ENOSPC");
    const answer = open.page.waitForResponse((response) => response.request().method() === "POST");
    await open.save();
    const { error, details, code, path } = (await (await answer).json()) as Record<string, string>;
    expect([code, path]).toEqual(["ENOSPC", files.path(`${CONFIG_FOLDER}/.env.dev`)]);
    const problem = open.page.locator(".save-bar .problem");
    expect((await problem.innerText()).split("\n")).toEqual([error, details, `Code ${code}`, `Path ${path}`]);
    await expect.poll(() => open.field("HTTP framework").inputValue()).toBe("fastify");
    expect(open.text()).toBe(GOOD_ENV);
  });

  longTest("that the server refuses shows each issue at its field, and all of them together", async () => {
    const files = referenceFiles();
    const contract = readFileSync(join(REPOSITORY, "config/runtime-contract.yaml"), "utf8");
    files.write(
      "config/runtime-contract.yaml",
      contract.replace("      - total-js\n", "      - total-js\n      - koa\n"),
    );
    const open = await environmentPage(browser, { files, mayFail: true });
    const before = open.text();
    await open.field("HTTP framework").selectOption("koa");
    files.write("config/runtime-contract.yaml", contract);
    await open.save();
    const message = 'SVC_HTTP_FRAMEWORK: unsupported value "koa"';
    const summary = open.page.getByRole("list", { name: "Refused values" });
    await expect.poll(() => summary.innerText()).toContain(message);
    await expect.poll(() => open.page.locator(".save-bar .problem").innerText()).toContain("Invalid payload.");
    await expect.poll(() => open.page.locator(".field", { hasText: "HTTP framework" }).innerText()).toContain(message);
    await expect.poll(() => open.field("HTTP framework").getAttribute("aria-invalid")).toBe("true");
    expect(open.text()).toBe(before);
  });

  longTest("asks for the token that the server demands, and continues with it", async () => {
    const env = { SVC_SERVICE_MANAGEMENT_AUTH_TOKEN: "a-token-of-a-test-1234567890" };
    const open = await environmentPage(browser, { env, mayFail: true });
    await open.field("HTTP framework").selectOption("fastify");
    await open.save();
    await open.button("Cancel").click();
    await expect.poll(() => open.page.locator(".save-bar .problem").innerText()).toBe("Unauthorized.");
    await open.save();
    await open.field("Token").fill(env.SVC_SERVICE_MANAGEMENT_AUTH_TOKEN);
    await open.page.keyboard.press("Enter");
    await open.page.getByText("SVC_HTTP_FRAMEWORK is now fastify").waitFor();
    expect(open.text()).toContain("SVC_HTTP_FRAMEWORK=fastify\n");
  });
});
