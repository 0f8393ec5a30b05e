/// <reference lib="dom" />
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished } from "vitest";
import { execute, processAct, type Caller } from "../../src/core/index.ts";
import { hasBrowser, useBrowser } from "../browser/support.ts";
import { expectAccessible, expectAccessibleInEveryLook } from "./accessibility.ts";
import { press } from "./keyboard.ts";
import { earlyServerOver, serverOver } from "./monitoring-page.ts";
import { openConsole } from "./open-console.ts";
import { CANARY, cluster, flat, planPage } from "./plan-page.ts";
import { longTest } from "../support/runs.ts";

const CALLER: Caller = { source: "cli", actor: "alice", grants: ["read", "write"] };

const browser = useBrowser();
const { real, app, openPlan, gate } = planPage();

describe.skipIf(!hasBrowser)("the plan", () => {
  longTest("shows each step with its reasons and its effect on requests, and no value", async () => {
    const open = await openPlan(
      [app("api", { MODE: "2" }), app("web", { NEW: CANARY }, { ...cluster, instances: 3 }), app("mailer")],
      { isRecorded: true },
    );
    const { card, planned, received } = open;
    expect(flat(await card.getByRole("heading").textContent())).toMatch(
      /^Plan [0-9a-f]{4}-[0-9a-f]{4}: 1 to start, 2 to update, 1 to scale$/,
    );
    expect((await planned.locator(":scope > li").allInnerTexts()).map(flat)).toEqual([
      expect.stringMatching(/^api restart: it is away until it runs again env: MODE changed .* short gap$/),
      "web reload 2 instances, one by one: no request is refused env: NEW added",
      "mailer start app: PM2 does not know it",
      "web scale from 2 to 3 instances: no request is refused instances: 2 to 3",
    ]);
    expect(flat(await card.textContent())).toContain(
      "PM2 lists old-worker (id 3), and this environment declares no such app",
    );
    expect(await received()).not.toContain(CANARY);
    await expectAccessibleInEveryLook(open);
  });

  longTest("is one line for apps that need the same step", async () => {
    const { planned } = await openPlan([
      app("api"),
      app("web", {}, cluster),
      ...["a-1", "a-2", "a-3"].map((one) => app(one)),
    ]);
    expect((await planned.locator(":scope > li").allInnerTexts()).map(flat)).toEqual([
      "a-1, a-2, a-3 start app: PM2 does not know it No health probe: a process only has to stay online. rollout.health in deployments.yaml or svcm.yaml declares one.",
    ]);
  });

  longTest("is confirmed, followed step by step, and undone", async () => {
    const open = await openPlan([app("api", { MODE: "2", HELD: gate() }), app("web", {}, cluster), app("old-worker")]);
    const { page, apply, confirm, done, button } = open;
    await apply.click();
    expect(flat(await confirm.textContent())).toContain("api restart: it is away until it runs again");
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
    writeFileSync(gate(), "");
    await page.getByText("Done. The processes run as planned.").waitFor();
    // The two apps that the plan leaves alone may have read the env file before it was written.
    await page
      .getByRole("heading", { name: "No step, but svcm cannot tell whether 2 apps run what is declared" })
      .waitFor();
    await expectAccessibleInEveryLook(open);
    await button("Undo…").click();
    await confirm.getByText("The apps of the release:").waitFor();
    expect((await confirm.getByRole("listitem").allInnerTexts()).map(flat)).toEqual([
      expect.stringMatching(
        /^api short gap Returns to its former definition \(id \d+\); it is away until it runs again\./,
      ),
    ]);
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

  longTest("says what a reboot would start otherwise, and no longer after PM2's list is saved", async () => {
    const apps = [app("api", { MODE: "2" }), app("web", {}, cluster), app("old-worker")];
    const list = join(real.home, "dump.pm2");
    const { page, apply, confirm, button } = await openPlan(apps);
    await apply.click();
    await confirm.getByRole("button", { name: "Apply", exact: true }).click();
    await page.getByText("Done. The processes run as planned.").waitFor();
    const saved = readFileSync(list, "utf8");
    writeFileSync(list, saved.replaceAll(/"MODE": ?"2"/g, '"MODE":"1"'));
    await button("Refresh").click();
    await page.getByText(/^after a reboot: .*api.* would start with another MODE than/).waitFor();
    writeFileSync(list, saved);
    await button("Refresh").click();
    await expect.poll(() => page.getByText("after a reboot").count()).toBe(0);
  });

  longTest("shows how a release ends although it cannot be read, and reads a plan again that failed", async () => {
    const apps = [app("api", { MODE: "2", HELD: gate() }), app("web", {}, cluster), app("old-worker")];
    const { page, apply, confirm } = await openPlan(apps, { mayFail: true });
    await apply.click();
    await confirm.getByRole("button", { name: "Apply", exact: true }).click();
    await page.getByText("Step 1 of 2: update api").waitFor();
    const failure = { status: 500, json: { error: "PM2 failed.", code: "PM2_TIMEOUT" } };
    await page.route(/\/api\/runtime\/releases/, (route) => route.fulfill(failure));
    await page.route(/\/api\/runtime\/plan/, (route) => route.fulfill(failure), { times: 1 });
    writeFileSync(gate(), "");
    await page.getByText("Done. The processes run as planned.").waitFor();
    await page.getByRole("heading", { name: /^No step|^Everything runs/ }).waitFor();
    expect(await page.getByText("PM2 failed.").count()).toBe(0);
  });

  longTest("is applied to the selected apps, with one that a user stopped, and without the others", async () => {
    await execute(processAct, real.ports(), { action: "stop", name: "old-worker" }, CALLER);
    const open = await openPlan([app("api", { MODE: "2" }), app("web", { MODE: "2" }, cluster), app("old-worker")]);
    const { page, apply, confirm, done, posts } = open;
    const boxes = page.getByRole("group", { name: "Apps to apply" });
    expect((await boxes.locator("label").allInnerTexts()).map(flat)).toEqual([
      "api",
      "web",
      "old-worker start it again",
    ]);
    await apply.waitFor();
    await boxes.getByRole("checkbox", { name: "api" }).uncheck();
    await boxes.getByRole("checkbox", { name: "web" }).uncheck();
    await expect.poll(() => page.getByRole("button", { name: "Apply to 0 apps…" }).isDisabled()).toBe(true);
    await boxes.getByRole("checkbox", { name: "old-worker" }).check();
    await expectAccessibleInEveryLook(open);
    await page.getByRole("button", { name: "Apply to 1 app…" }).click();
    await confirm.waitFor();
    expect((await confirm.locator(".planned > li").allInnerTexts()).map(flat)).toEqual([
      expect.stringMatching(/^old-worker start again/),
    ]);
    await expectAccessible(open);
    await confirm.getByRole("button", { name: "Apply", exact: true }).click();
    await page.getByText("Done. The processes run as planned.").waitFor();
    expect((await done.locator(":scope > li").allInnerTexts()).map(flat)).toEqual([
      expect.stringMatching(/^resume old-worker (?:[\d.]+ s )?done$/),
      expect.stringMatching(/^save PM2's list (?:[\d.]+ s )?done$/),
    ]);
    expect(posts.at(-1)).toMatchObject({ body: { apps: ["old-worker"] } });
    await apply.waitFor();
  });

  longTest("of production is applied and undone only after its name is typed", async () => {
    const apps = [app("api", { MODE: "2" }), app("web", {}, cluster), app("old-worker")];
    real.pm2Folder(apps, "production");
    // Later, its values would make a plan for dev a move from production.
    onTestFinished(() => rmSync(join(real.folder, "pm2/ecosystem.production.config.cjs")));
    const open = await openPlan(apps);
    const { page, apply, confirm, button, field } = open;
    await page.getByRole("combobox", { name: "Environment", exact: true }).selectOption("production");
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
    await button("Undo…").click();
    await confirm.getByText("The apps of the release:").waitFor();
    const undo = confirm.getByRole("button", { name: "Undo", exact: true });
    expect(await undo.isDisabled()).toBe(true);
    await field("Type production").fill("production");
    await undo.click();
    await page.getByText(/^Release \S+ undoes \S+$/).waitFor();
  });

  longTest("is replaced in place and receives the focus if it is out of date, and nothing is applied", async () => {
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

  longTest("a step that fails is shown with its reason, and what was taken back and not begun", async () => {
    // On a slow machine, a process may end after the early health check.
    const open = await openPlan(
      [app("web", { MODE: "2" }, cluster), app("api", { FAILS: "1" }, { autorestart: false }), app("old-worker")],
      {},
      serverOver,
    );
    const { page, apply, confirm, done } = open;
    await apply.click();
    await confirm.getByRole("button", { name: "Apply", exact: true }).click();
    await page.getByText("A step failed, and svcm took back what it had changed.").waitFor();
    expect((await done.locator(":scope > li").allInnerTexts()).map(flat)).toEqual([
      expect.stringMatching(/^update web (?:[\d.]+ s )?taken back$/),
      expect.stringMatching(/^update api .*(?:is not healthy|PM2).* taken back$/),
      "save PM2's list not begun",
    ]);
    await expectAccessibleInEveryLook(open);
  });

  longTest("is read, confirmed and applied with the keyboard alone, at 320 pixels", async () => {
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

  longTest("takes apps over from another checkout only after the user has accepted it", async () => {
    const clone = join(real.folder, "clone");
    mkdirSync(join(clone, ".git"), { recursive: true });
    writeFileSync(join(clone, ".git/config"), "");
    copyFileSync(join(real.folder, "app.cjs"), join(clone, "app.cjs"));
    await real.beginWith([app("api", {}, { script: join(clone, "app.cjs"), cwd: clone })]);
    const { page, apply, confirm } = await openPlan([app("api")]);
    await page.getByText(`PM2 has api from the checkout ${clone}`).waitFor();
    await apply.click();
    const accept = confirm.getByRole("checkbox", { name: /^Take over the running apps from the other checkout\./ });
    const begin = confirm.getByRole("button", { name: "Apply", exact: true });
    await accept.waitFor();
    expect(await begin.isDisabled()).toBe(true);
    expect(await confirm.textContent()).not.toContain("--switch-checkout");
    await accept.check();
    await begin.click();
    await page.getByText("Done. The processes run as planned.").waitFor();
    expect((await real.link().list()).map(({ cwd }) => cwd)).toEqual([real.folder]);
  });

  longTest("drift links to the plan", async () => {
    real.pm2Folder([app("api", { MODE: "2" }), app("web", {}, cluster), app("old-worker")]);
    const server = await earlyServerOver(real, { env: { NODE_ENV: "dev" } });
    const { page } = await openConsole(browser, server.url);
    await page.getByRole("link", { name: "Plan: 1 step" }).click();
    await page.getByRole("region", { name: /^Plan / }).waitFor();
    expect(new URL(page.url()).hash).toBe("#/plan?environment=dev");
  });
});
