/// <reference lib="dom" />
/** The single keys that act on a process of the list, and the motion of a row that jumps. */
import { describe, expect, test } from "vitest";
import { hasBrowser, useBrowser } from "../browser/support.ts";
import { handMonitoring, type Made } from "./hand-monitoring.ts";
import { focused, press } from "./keyboard.ts";
import { names, row } from "./monitoring-page.ts";
import type { ConsoleOptions } from "./open-console.ts";

const browser = useBrowser();
const apps: readonly Made[] = ["api", "auth", "mailer", "web"].map((name) => ({ name }));

async function listed(options: ConsoleOptions = {}, given = apps) {
  const open = await handMonitoring(browser, { mayFail: true, ...options });
  await open.telemetry.watchers(1);
  open.give(given);
  await row(open.page, "web").waitFor();
  open.answer(false);
  return open;
}

describe.skipIf(!hasBrowser)("the key r", () => {
  test("asks before it restarts the process of the row, and reloads a cluster", async () => {
    const { page, questions } = await listed({}, [{ name: "api" }, { name: "web", execMode: "cluster" }]);
    await press(page, "r", "j", "r");
    await expect.poll(() => questions).toEqual(["Restart api (PM2 id 0)?"]);
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await row(page, "api").locator(".process-name").and(page.locator(":focus")).waitFor();
    await press(page, "j", "r");
    await expect.poll(() => questions.at(-1)).toBe("Reload web (PM2 id 1)?");
  });

  test("is that of the process beside the list, and a letter in a field", async () => {
    const { page, questions } = await listed();
    await row(page, "mailer").locator(".process-name").click();
    await page.getByRole("region", { name: "Process mailer" }).and(page.locator(":focus")).waitFor();
    await press(page, "r");
    await expect.poll(() => questions).toEqual(["Restart mailer (PM2 id 2)?"]);
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await press(page, "/", "r");
    await expect.poll(() => page.getByRole("searchbox", { name: "Filter the processes" }).inputValue()).toBe("r");
    expect(questions).toHaveLength(1);
  });

  test("says why a process cannot be restarted", async () => {
    const { page, questions } = await listed({}, [{ name: "web", isOwn: true }]);
    await press(page, "j", "r");
    await page.getByText("Restart web: It serves this page. Use the command line.").waitFor();
    expect(questions).toEqual([]);
  });
});

describe.skipIf(!hasBrowser)("a command of the command bar", () => {
  test("acts on the row that had the focus, and the focus stays where the command put it", async () => {
    const { page, questions } = await listed();
    const search = page.getByRole("combobox", { name: "An app, a view or a command" });
    await press(page, "j", "Control+k");
    await search.fill("restart the process");
    await press(page, "Enter");
    await expect.poll(() => questions).toEqual(["Restart api (PM2 id 0)?"]);
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await press(page, "Control+k");
    await search.fill("filter");
    await press(page, "Enter");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    // The dialog is gone for two frames.
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => setTimeout(done))));
    expect(await focused(page)).toBe("Filter the processes/");
  });
});

const loop = { code: "PROCESS_CRASH_LOOP", details: "It ended by itself and was restarted 4 times." } as const;
const crashed: readonly Made[] = [...apps.slice(0, 3), { name: "web", problem: loop }];

describe.skipIf(!hasBrowser)("a row that jumps over others", () => {
  /** The rows that were animated. An animation may end before a slow frame, so its beginning counts. */
  async function slid(options: ConsoleOptions): Promise<string[]> {
    const { page, give } = await listed(options);
    const animated = await page.evaluateHandle(() => {
      const begun: string[] = [];
      const animate = Reflect.get(Element.prototype, "animate");
      Element.prototype.animate = function record(...args) {
        begun.push(this.querySelector(".name")?.textContent ?? "");
        return animate.apply(this, args);
      };
      return begun;
    });
    give(crashed);
    await expect.poll(() => names(page)).toEqual(["web", "api", "auth", "mailer"]);
    return await animated.jsonValue();
  }

  test("slides to its place", async () => {
    expect(await slid({ reducedMotion: "no-preference" })).toEqual(["web"]);
  });

  test("is there at once if the user wants less motion", async () => {
    expect(await slid({ reducedMotion: "reduce" })).toEqual([]);
  });
});
