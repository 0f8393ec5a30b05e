/// <reference lib="dom" />
/** The plan over a real PM2: it is read, confirmed, watched and undone. */
import { utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { hasBrowser, useBrowser } from "../browser/support.ts";
import { ask } from "../server/support.ts";
import { IDLE, pm2 } from "../support/pm2-daemon.ts";
import { expectAccessible, expectAccessibleInEveryLook } from "./accessibility.ts";
import { press } from "./keyboard.ts";
import { earlyServerOver, serverOver } from "./monitoring-page.ts";
import { openConsole, type ConsoleOptions } from "./open-console.ts";

const browser = useBrowser();
const real = pm2();
const CANARY = "canary-77ac";
let gate = "";
let rounds = 0;

/** It is ready when the file that HELD names exists, or at once; with FAILS it ends. */
const APP = `
const { existsSync } = require("node:fs");
const { HELD, FAILS } = process.env;
if (FAILS) process.exit(3);
const look = () => (HELD && !existsSync(HELD) ? setTimeout(look, 10) : process.send("ready"));
look();
${IDLE}`;

const app = (name: string, env: object = {}, more: object = {}) => ({
  name,
  script: join(real.folder, "app.cjs"),
  cwd: real.folder,
  wait_ready: true,
  listen_timeout: 60_000,
  env: { MODE: "1", API_TOKEN: CANARY, ...env },
  ...more,
});
const cluster = { exec_mode: "cluster", instances: 2 };

beforeAll(async () => {
  await real.startDaemon();
  writeFileSync(join(real.folder, "app.cjs"), APP);
  utimesSync(join(real.folder, "app.cjs"), 1e9, 1e9);
});
afterAll(() => real.end());
beforeEach(async () => {
  await real.beginWith([app("api"), app("web", {}, cluster), app("old-worker")]);
  gate = join(real.folder, `gate-${(rounds += 1)}`);
});

async function openPlan(apps: readonly object[], options: ConsoleOptions = {}, serve = earlyServerOver) {
  real.pm2Folder(apps);
  const server = await serve(real, { env: { NODE_ENV: "dev" } });
  const open = await openConsole(browser, server.url, { tab: "plan", ...options });
  const { page } = open;
  const card = page.getByRole("region", { name: /^Plan |^Everything runs/ });
  await card.waitFor();
  const planned = page.getByRole("list", { name: "Steps of the plan" });
  const done = page.getByRole("list", { name: "Steps of the release" }).first();
  const confirm = page.getByRole("dialog");
  return { ...open, server, card, planned, done, confirm, apply: page.getByRole("button", { name: /^Apply plan/ }) };
}

const flat = (text: string | null): string => (text ?? "").replaceAll(/\s+/g, " ").trim();

describe.skipIf(!hasBrowser)("the plan", () => {
  test("shows each step with its reasons and its effect on requests, and no value", async () => {
    const open = await openPlan(
      [app("api", { MODE: "2" }), app("web", { NEW: CANARY }, { ...cluster, instances: 3 }), app("mailer")],
      { isRecorded: true },
    );
    const { card, planned, received } = open;
    expect(flat(await card.getByRole("heading").textContent())).toMatch(
      /^Plan [0-9a-f]{4}-[0-9a-f]{4}: 1 to start, 2 to update, 1 to scale$/,
    );
    expect((await planned.locator(":scope > li").allInnerTexts()).map(flat)).toEqual([
      expect.stringMatching(/^api restart: requests fail until it listens again env: MODE changed .* short gap$/),
      "web reload 2 instances, one by one env: NEW added no request is lost",
      "mailer start app: does not run no request is lost",
      "web scale from 2 to 3 instances instances: 2 to 3 no request is lost",
    ]);
    expect(flat(await card.textContent())).toContain("old-worker (id 3) runs, and no app of the file has that name");
    expect(await received()).not.toContain(CANARY);
    await expectAccessibleInEveryLook(open);
  });

  test("is confirmed, watched step by step, and undone", async () => {
    const open = await openPlan([app("api", { MODE: "2", HELD: gate }), app("web", {}, cluster), app("old-worker")]);
    const { page, apply, confirm, done, button } = open;
    await apply.click();
    expect(flat(await confirm.textContent())).toContain("api restart: requests fail until it listens again.");
    await expectAccessibleInEveryLook(open);
    await confirm.getByLabel("Note for the release (optional)").fill("try 2");
    await confirm.getByRole("button", { name: "Apply", exact: true }).click();
    await page.getByText("Step 1 of 2: update api").waitFor();
    expect((await done.locator(":scope > li").allInnerTexts()).map(flat)).toEqual([
      "update api running",
      "save PM2's list waiting",
    ]);
    await expect.poll(() => apply.count()).toBe(0);
    await expectAccessible(open);
    writeFileSync(gate, "");
    await page.getByText("Done. The processes run as planned.").waitFor();
    await page.getByRole("heading", { name: "Everything runs as declared" }).waitFor();
    await expectAccessibleInEveryLook(open);
    await button("Undo…").click();
    await confirm.getByText("These apps return to the processes and definitions").waitFor();
    expect((await confirm.getByRole("listitem").allInnerTexts()).map(flat)).toEqual(["api short gap"]);
    await expectAccessibleInEveryLook(open);
    await confirm.getByRole("button", { name: "Undo", exact: true }).click();
    await page.getByText(/^Release \S+ undoes \S+$/).waitFor();
    await page.getByText("Done. The processes run as planned.").waitFor();
    await apply.waitFor();
    const entries = page.getByRole("region", { name: "Releases" }).locator("summary");
    expect((await entries.allInnerTexts()).map(flat)).toEqual([
      expect.stringMatching(/dev, undoes \S+ ?applied anonymous, http$/),
      expect.stringMatching(/dev ?applied anonymous, http “try 2”$/),
    ]);
    await entries.last().click();
    await page.getByRole("button", { name: /^Back to before/ }).waitFor();
    await expectAccessibleInEveryLook(open);
  });

  test("of production is applied only after its name is typed", async () => {
    const apps = [app("api", { MODE: "2" }), app("web", {}, cluster), app("old-worker")];
    real.pm2Folder(apps, "production");
    const open = await openPlan(apps);
    const { page, apply, confirm, field } = open;
    await page.getByLabel("Environment").selectOption("production");
    await apply.click();
    const go = confirm.getByRole("button", { name: "Apply", exact: true });
    await expect.poll(() => go.isDisabled()).toBe(true);
    await field("Type production").fill("prod");
    await press(page, "Enter");
    await expect.poll(() => go.isDisabled()).toBe(true);
    await expectAccessible(open);
    await field("Type production").fill("production");
    await press(page, "Enter");
    await page.getByText("Done. The processes run as planned.").waitFor();
  });

  test("is replaced in place and takes the focus if it is out of date, and nothing is applied", async () => {
    const changed = [app("api", { MODE: "2" }), app("web", {}, cluster), app("old-worker")];
    const open = await openPlan(changed, { mayFail: true });
    const { page, apply, confirm, card } = open;
    const before = await card.getByRole("heading").textContent();
    await apply.click();
    real.pm2Folder([app("api", { MODE: "3" }), app("web", {}, cluster), app("old-worker")]);
    await confirm.getByRole("button", { name: "Apply", exact: true }).click();
    await page.getByText("The plan has changed, and nothing was applied.").waitFor();
    await expect.poll(() => card.getByRole("heading").textContent()).not.toBe(before);
    await expect.poll(() => page.evaluate(() => document.activeElement?.className)).toBe("plan-card");
    await expect.poll(() => page.getByRole("region", { name: "Releases" }).count()).toBe(0);
    await expectAccessible(open);
  });

  test("a step that fails is shown with its reason, and the apps as before", async () => {
    // On a slow machine, a process may end later than the early judgement.
    const open = await openPlan(
      [app("web", { MODE: "2" }, cluster), app("api", { FAILS: "1" }, { autorestart: false }), app("old-worker")],
      {},
      serverOver,
    );
    const { page, apply, confirm, done } = open;
    await apply.click();
    await confirm.getByRole("button", { name: "Apply", exact: true }).click();
    await page.getByText("A step failed. Every touched app runs as before.").waitFor();
    expect((await done.locator(":scope > li").allInnerTexts()).map(flat)).toEqual([
      "update web as before",
      expect.stringMatching(/^update api .*is not healthy.* as before$|^update api .*PM2.* as before$/),
      "save PM2's list waiting",
    ]);
    await expectAccessibleInEveryLook(open);
  });

  test("an apply that another client began is shown, and a reload of the page keeps it", async () => {
    const { page, server } = await openPlan([
      app("api", { MODE: "2", HELD: gate }),
      app("web", {}, cluster),
      app("old-worker"),
    ]);
    const { json } = await ask(server, "/api/runtime/plan?environment=dev");
    const body = JSON.stringify({ environment: "dev", plan: json.id });
    const headers = { "content-type": "application/json" };
    expect((await ask(server, "/api/runtime/apply", { method: "POST", body, headers })).status).toBe(202);
    await page.getByText("Step 1 of 2: update api").waitFor();
    await page.reload();
    await page.getByText("Step 1 of 2: update api").waitFor();
    writeFileSync(gate, "");
    await page.getByText("Done. The processes run as planned.").waitFor();
  });

  test("is read, confirmed and applied with the keyboard alone, at 320 pixels", async () => {
    const open = await openPlan([app("api", { MODE: "2" }), app("web", {}, cluster), app("old-worker")]);
    const { page, apply, confirm } = open;
    await page.setViewportSize({ width: 320, height: 640 });
    await expectAccessible(open);
    await apply.focus();
    await press(page, "Enter");
    await confirm.waitFor();
    await expect.poll(() => page.evaluate(() => document.activeElement?.tagName)).toBe("INPUT");
    await expectAccessible(open);
    await press(page, "Enter");
    await page.getByText("Done. The processes run as planned.").waitFor();
    await expectAccessible(open);
  });

  test("prune adds the deletion of an app that an apply started, and the apply has the same choice", async () => {
    const base = [app("api"), app("web", {}, cluster), app("old-worker")];
    const { page, apply, confirm, planned, done, button, posts } = await openPlan([...base, app("extra")]);
    await apply.click();
    await confirm.getByRole("button", { name: "Apply", exact: true }).click();
    await page.getByText("Done. The processes run as planned.").waitFor();
    await page.getByRole("heading", { name: "Everything runs as declared" }).waitFor();
    real.pm2Folder(base);
    await page.getByRole("checkbox", { name: "Prune" }).check();
    await apply.waitFor();
    expect((await planned.locator(":scope > li").allInnerTexts()).map(flat)).toEqual([
      expect.stringMatching(/^extra delete/),
    ]);
    await apply.click();
    await confirm.getByRole("button", { name: "Apply", exact: true }).click();
    await done.getByText("extra").waitFor();
    await page.getByText("Done. The processes run as planned.").waitFor();
    expect(posts.at(-1)).toMatchObject({ body: { prune: true } });
    await button("Dismiss").click();
    await done.waitFor({ state: "detached" });
  });

  test("drift leads to the plan", async () => {
    real.pm2Folder([app("api", { MODE: "2" }), app("web", {}, cluster), app("old-worker")]);
    const server = await earlyServerOver(real, { env: { NODE_ENV: "dev" } });
    const { page } = await openConsole(browser, server.url);
    await page.getByRole("link", { name: "Plan: 1 step" }).click();
    await page.getByRole("region", { name: /^Plan / }).waitFor();
    expect(new URL(page.url()).hash).toBe("#/plan?environment=dev");
  });
});
