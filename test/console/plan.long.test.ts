/// <reference lib="dom" />
import { writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { hasBrowser } from "../browser/support.ts";
import { renderRollbackPlan } from "../../src/commands/terminal/release.ts";
import type { RollbackPlan } from "../../src/core/api/rollout-requests.ts";
import { ask } from "../server/support.ts";
import { expectAccessible } from "./accessibility.ts";
import { cluster, flat, planPage } from "./plan-page.ts";

const { real, app, openPlan, gate } = planPage();

describe.skipIf(!hasBrowser)("the plan", () => {
  test("an apply that another client started is shown, and stays shown after a reload", async () => {
    const { page, server } = await openPlan([
      app("api", { MODE: "2", HELD: gate() }),
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
    writeFileSync(gate(), "");
    await page.getByText("Done. The processes run as planned.").waitFor();
  });

  test("prune adds the deletion of an app that an apply started, and the apply has the same choice", async () => {
    const base = [app("api"), app("web", {}, cluster), app("old-worker")];
    const { page, apply, confirm, planned, done, button, posts } = await openPlan([...base, app("extra")]);
    await apply.click();
    await confirm.getByRole("button", { name: "Apply", exact: true }).click();
    await page.getByText("Done. The processes run as planned.").waitFor();
    await page.getByRole("heading", { name: /^No step|^Everything runs/ }).waitFor();
    await button("Dismiss").click();
    await done.waitFor({ state: "detached" });
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

  test("a dismissed release does not come back with an answer that arrives late", async () => {
    const apps = [app("api", { MODE: "2" }), app("web", {}, cluster), app("old-worker")];
    const { page, apply, confirm, done, button } = await openPlan(apps);
    let letGo = (): void => undefined;
    const dismissed = new Promise<void>((resolve) => (letGo = resolve));
    let requests = 0;
    await page.route(/\/api\/runtime\/releases\/\w/, async (route) => {
      requests += 1;
      const isFirst = requests === 1;
      const response = await route.fetch();
      if (isFirst) await dismissed;
      await route.fulfill({ response });
    });
    const late = page.waitForResponse(/\/api\/runtime\/releases\/\w/);
    await apply.click();
    await confirm.getByRole("button", { name: "Apply", exact: true }).click();
    await page.getByText("Done. The processes run as planned.").waitFor();
    await button("Dismiss").click();
    await done.waitFor({ state: "detached" });
    letGo();
    await (await late).finished();
    await page.getByRole("heading", { name: /^No step|^Everything runs/ }).waitFor();
    await page.evaluate(() => new Promise((painted) => requestAnimationFrame(() => requestAnimationFrame(painted))));
    expect(await done.count()).toBe(0);
    expect(requests).toBeGreaterThan(1);
  });

  test("the way back says each sentence that svcm rollback prints", async () => {
    const open = await openPlan([app("api", { MODE: "2" }), app("web", {}, cluster), app("old-worker")]);
    const { page, apply, confirm, button } = open;
    await apply.click();
    await confirm.getByRole("button", { name: "Apply", exact: true }).click();
    await page.getByText("Done. The processes run as planned.").waitFor();
    const commit = "1d6f1f0c2a3b4c5d6e7f1d6f1f0c2a3b4c5d6e7f";
    let printed = "";
    await page.route(/\/api\/runtime\/rollback\?/, async (route) => {
      const response = await route.fetch();
      const plan = (await response.json()) as RollbackPlan;
      const [step, ...others] = plan.steps;
      if (step === undefined) throw new Error("the release has no step");
      const changed: RollbackPlan = {
        ...plan,
        keptCode: { commit, former: null },
        code: { commit, dirty: ["src/index.js"] },
        steps: [
          { ...step, mayDiffer: true, pinned: true },
          { ...step, app: "billing", pinned: false, mayDiffer: true },
          { ...step, app: "search", changed: false },
          ...others,
        ],
      };
      printed = renderRollbackPlan(changed);
      await route.fulfill({ json: changed });
    });
    await button("Undo…").click();
    await confirm.getByRole("listitem").nth(2).waitFor();
    const shown = flat(await confirm.textContent()).toLowerCase();
    const sentences = printed
      .split("\n")
      // The list is saved after each rollback.
      .slice(1, -2)
      // Colours are marks of the terminal.
      .map((line) => flat(line.replaceAll(/[^ -~]/g, "").replace(/^ *(?:api|billing|search): /, "")).toLowerCase());
    expect(sentences).toHaveLength(5);
    expect(sentences.filter((sentence) => !shown.includes(sentence)).join()).toBe("");
    expect(shown).toContain("which may differ from what it had read");
    expect(shown).toContain("nothing shows what it had read");
    await expectAccessible(open);
  });
});
