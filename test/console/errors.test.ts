/// <reference lib="dom" />
/** The server's refusals are shown unchanged on every tab. @see the specification, "Errors" 2 */
import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import type { Locator } from "playwright-core";
import { describe, expect, test } from "vitest";
import { hasBrowser, useBrowser } from "../browser/support.ts";
import { ask, repository, testServer, type TestResponse } from "../server/support.ts";
import { canMount, mount } from "../support/machine.ts";
import { CONFIG_FOLDER, GOOD_ENV, makeWorkspace } from "../support/workspace.ts";
import { axe } from "./accessibility.ts";
import { environmentPage } from "./environment-page.ts";
import { openConsole } from "./open-console.ts";
import { pm2Page } from "./pm2-page.ts";
import { longTest } from "../support/runs.ts";

const browser = useBrowser();
const noPm2 = { env: { PM2_HOME: "/nowhere/pm2" } };

async function linesIn(problem: Locator): Promise<string[]> {
  await problem.waitFor();
  await expect
    .poll(() => problem.evaluate((element) => element.closest("[aria-live]")?.getAttribute("aria-live")))
    .toBe("polite");
  return (await problem.innerText()).split("\n");
}

/** The expected lines for an answer of the 500 class: no field is mapped or omitted. */
function linesOf({ error, details, code, path }: TestResponse["json"]): unknown[] {
  return [error, details, `Code ${code}`, `Path ${path}`];
}

describe.skipIf(!hasBrowser)("an error of the 500 class is shown unchanged", () => {
  test("the facts that every tab uses", async () => {
    const files = repository();
    mkdirSync(`${files.root}/config`);
    const server = await testServer({ ...noPm2, repository: files });
    writeFileSync(`${files.root}/config/runtime-contract.yaml`, "keys: [");
    const { status, json } = await ask(server, "/api/runtime/contract");
    expect(status).toBe(500);
    const open = await openConsole(browser, server.url, {
      tab: "activity",
      mayFail: true,
      beginsWith: "main .problem",
    });
    const { page } = open;
    const shown = await linesIn(page.locator("main .problem"));
    expect(shown).toEqual(
      [json.error, json.details, json.code && `Code ${json.code}`, json.path && `Path ${json.path}`].filter(Boolean),
    );
    await expect.poll(() => axe(page)).toEqual([]);
    rmSync(`${files.root}/config/runtime-contract.yaml`);
    await open.button("Try again").click();
    await page.getByRole("heading", { level: 1, name: "Activity" }).waitFor();
  });

  longTest("an env file that is a folder", async () => {
    const files = makeWorkspace({});
    mkdirSync(files.path(`${CONFIG_FOLDER}/.env.dev`));
    const { page, server } = await environmentPage(browser, { files, mayFail: true });
    const json = await (await fetch(`${server.url}/api/runtime/env?environment=dev`)).json();
    expect(json.path).toBe(files.path(`${CONFIG_FOLDER}/.env.dev`));
    await expect.poll(() => linesIn(page.locator("#panel .problem"))).toEqual(linesOf(json));
    await expect.poll(() => page.getByRole("button", { name: "Save" }).count()).toBe(0);
  });

  longTest.skipIf(!canMount)("an env file in a read-only folder: nothing is written, the edit is kept", async () => {
    const files = makeWorkspace({});
    const folder = files.path(CONFIG_FOLDER);
    mount(folder, "-t", "tmpfs", "tmpfs");
    files.write(`${CONFIG_FOLDER}/.env.dev`, GOOD_ENV);
    execFileSync("mount", ["-o", "remount,ro", folder]);
    const open = await environmentPage(browser, { files, mayFail: true });
    await open.field("HTTP framework").selectOption("fastify");
    const answer = open.page.waitForResponse((response) => response.request().method() === "POST");
    await open.save();
    const json = await (await answer).json();
    expect([json.code, json.path]).toEqual(["EROFS", files.path(`${CONFIG_FOLDER}/.env.dev`)]);
    await expect.poll(() => linesIn(open.page.locator(".save-bar .problem"))).toEqual(linesOf(json));
    await expect.poll(() => open.field("HTTP framework").inputValue()).toBe("fastify");
    expect(open.text()).toBe(GOOD_ENV);
    await expect.poll(() => axe(open.page)).toEqual([]);
  });

  longTest("a comparison with a missing file, inside its card", async () => {
    const open = await environmentPage(browser, { files: makeWorkspace(), mayFail: true });
    const answer = open.page.waitForResponse((response) => response.url().includes("/env/diff"));
    await open.field("Compare dev with").selectOption("ci");
    const json = await (await answer).json();
    expect(json.code).toBe("ENV_FILE_NOT_FOUND");
    const card = open.page.getByRole("region", { name: "Compare" });
    await expect.poll(() => linesIn(card.locator(".problem"))).toEqual(linesOf(json));
    open.files.write(`${CONFIG_FOLDER}/.env.ci`, GOOD_ENV.replace("express", "fastify"));
    await card.getByRole("button", { name: "Try again" }).click();
    await card.getByText("1 key differs").waitFor();
  });

  longTest("an ecosystem file that is broken", async () => {
    const open = await pm2Page(browser, { mayFail: true });
    open.files.write("pm2/ecosystem.dev.config.cjs", "module.exports = {");
    const json = await (await fetch(`${open.url}/api/runtime/pm2-ecosystem?environment=dev`)).json();
    await open.refresh();
    await expect.poll(() => linesIn(open.page.locator("#panel .problem"))).toEqual(linesOf(json));
  });

  longTest("an audit log that cannot be read", async () => {
    const files = repository();
    mkdirSync(files.auditFile, { recursive: true });
    const server = await testServer({ ...noPm2, repository: files });
    const { json } = await ask(server, "/api/runtime/audit");
    const { page } = await openConsole(browser, server.url, { tab: "activity", mayFail: true });
    const shown = await linesIn(page.locator("#panel .problem"));
    expect(json.code).toBeDefined();
    expect(shown).toEqual(
      [json.error, json.details, `Code ${json.code}`, json.path && `Path ${json.path}`].filter(Boolean),
    );
  });

  longTest("PM2 cannot be read: the error that the WebSocket sent", async () => {
    const server = await testServer(noPm2);
    const { page, received } = await openConsole(browser, server.url, { isRecorded: true });
    await page.getByText("The processes of PM2 cannot be read").waitFor();
    const frame = (await received()).split("\n").find((line) => line.startsWith('{"type":"error"'));
    const { error, details, code } = JSON.parse(frame ?? "");
    const shown = await linesIn(page.locator(".processes .problem"));
    expect(shown).toEqual([error, details, `Code ${code}`].filter(Boolean));
  });
});

describe.skipIf(!hasBrowser)("toasts", () => {
  longTest(
    "are in one polite live region; information disappears by itself, an error stays until it is dismissed",
    async () => {
      const open = await pm2Page(browser, { prepare: (page) => page.clock.install() });
      const { page } = open;
      const region = page.locator(".toast-list");
      await expect.poll(() => region.getAttribute("role")).toBe("status");
      await expect.poll(() => region.getAttribute("aria-live")).toBe("polite");
      await page.evaluate(() => {
        document.execCommand = () => false;
        navigator.clipboard.writeText = () => Promise.reject(new Error("refused"));
      });
      await open.button("Copy the path").click();
      const error = region.getByText("The browser does not allow the page to copy the path.");
      await error.waitFor();
      await open.refresh();
      const info = region.getByText(/^Read .* again/);
      await info.waitFor();
      await page.clock.runFor(5_000);
      await info.waitFor({ state: "detached" });
      await page.clock.runFor(3_600_000);
      await expect.poll(() => error.count()).toBe(1);
      await region.getByRole("button", { name: "Dismiss" }).click();
      await error.waitFor({ state: "detached" });
    },
  );

  longTest("the check detects a deliberate alert", async () => {
    const server = await testServer(noPm2);
    const open = await openConsole(browser, server.url, { tab: "activity" });
    await open.page.evaluate(() => alert("look here"));
    expect(open.problems.splice(0)).toEqual(["alert: look here"]);
  });
});
