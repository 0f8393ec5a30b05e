/// <reference lib="dom" />
/** After a save: the apps that still run with the old values, over a real PM2. */
import { readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hasBrowser, useBrowser } from "../browser/support.ts";
import { repository, type Repository } from "../server/support.ts";
import { IDLE, pm2 } from "../support/pm2-daemon.ts";
import { expectAccessibleInEveryLook } from "./accessibility.ts";
import { handMonitoring } from "./hand-monitoring.ts";
import { serverOver } from "./monitoring-page.ts";
import { openConsole } from "./open-console.ts";

const browser = useBrowser();
const real = pm2();

/** It writes down what it was started with, or ends if a file says so. */
const APP = `
const { existsSync, writeFileSync } = require("node:fs");
const { name, SVC_HTTP_FRAMEWORK } = process.env;
if (existsSync(__dirname + "/fails-" + name)) process.exit(3);
writeFileSync(__dirname + "/seen-" + name, String(SVC_HTTP_FRAMEWORK));
${IDLE}`;

const seen = (name: string): string => readFileSync(join(real.folder, `seen-${name}`), "utf8");

beforeAll(async () => {
  await real.startDaemon();
  writeFileSync(join(real.folder, "app.cjs"), APP);
  utimesSync(join(real.folder, "app.cjs"), 1e9, 1e9);
});
afterAll(() => real.end());

/** Three apps that read the env file, and one that does not. */
async function savedPage(files: Repository = repository()) {
  utimesSync(files.envFile("dev"), 1e9, 1e9);
  rmSync(join(real.folder, "fails-jobs"), { force: true });
  const plain = { script: join(real.folder, "app.cjs"), cwd: real.folder };
  const reading = { ...plain, node_args: [`--env-file=${files.envFile("dev")}`] };
  const apps = [
    { name: "api", ...reading },
    { name: "jobs", ...reading },
    { name: "web", ...reading },
    { name: "other", ...plain },
  ];
  await real.beginWith(apps);
  const server = await serverOver(real, { repository: files, env: { NODE_ENV: "dev" } });
  const open = await openConsole(browser, server.url, { tab: "environment" });
  await open.field("HTTP framework").selectOption("fastify");
  await open.button("Save").click();
  const stale = open.page.getByRole("group", { name: "Still running with the old values" });
  await stale.waitFor();
  return { ...open, server, stale };
}

describe.skipIf(!hasBrowser)("after a save", () => {
  test("the page names the apps that read the file before, and restarts the chosen ones", async () => {
    const open = await savedPage();
    const { page, stale, button } = open;
    const boxes = stale.getByRole("checkbox");
    expect((await stale.getByRole("listitem").allTextContents()).map((text) => text.trim())).toEqual([
      "api",
      "jobs",
      "web",
    ]);
    await expectAccessibleInEveryLook(open);
    await boxes.nth(1).uncheck();
    await button("Restart 2, one after another").click();
    await stale.getByText("restarted").nth(1).waitFor();
    await expect
      .poll(() => stale.getByRole("listitem").allInnerTexts())
      .toEqual(["api restarted", "jobs", "web restarted"]);
    expect(["api", "jobs", "web", "other"].map(seen)).toEqual(["fastify", "express", "fastify", "undefined"]);
    await boxes.nth(1).check();
    await button("Restart 1").click();
    await page.getByRole("group", { name: "Restarted with the new values" }).waitFor();
    expect(seen("jobs")).toBe("fastify");
    await page.getByRole("link", { name: "See the whole plan" }).click();
    await page.getByRole("heading", { name: "Everything runs as declared" }).waitFor();
  });

  test("the first restart that fails stops, and the page says which apps keep the old values", async () => {
    const { stale, button } = await savedPage();
    writeFileSync(join(real.folder, "fails-jobs"), "");
    await button("Restart 3, one after another").click();
    await stale.getByText(/^jobs: /).waitFor();
    await expect
      .poll(() => stale.getByRole("listitem").allInnerTexts())
      .toEqual(["api restarted", "jobs not restarted", "web not restarted"]);
    expect(seen("web")).toBe("express");
  });

  test("an undo writes the former values, and the apps are stale again", async () => {
    const { page, server, stale, button, field, posts } = await savedPage();
    await button("Restart 3, one after another").click();
    await page.getByRole("group", { name: "Restarted with the new values" }).waitFor();
    await button("Undo").click();
    await stale.waitFor();
    expect(server.text()).toContain("SVC_HTTP_FRAMEWORK=express");
    await expect.poll(() => field("HTTP framework").inputValue()).toBe("express");
    expect(posts.at(-1)).toMatchObject({ body: { values: { SVC_HTTP_FRAMEWORK: "express" } } });
  });

  test("the page is silent if PM2 cannot be read", async () => {
    const { page, field, button } = await handMonitoring(browser, { tab: "environment" });
    const answered = page.waitForResponse((response) => response.url().includes("/pm2-metrics?"));
    await field("HTTP framework").selectOption("fastify");
    await button("Save").click();
    await page.getByText("Saved 1 key to .env.dev.").waitFor();
    expect((await answered).status()).toBe(500);
    await expect.poll(() => page.getByText("Still running").count()).toBe(0);
  });
});
