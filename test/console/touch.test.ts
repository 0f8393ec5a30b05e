/// <reference lib="dom" />
/** The size of controls: 44 pixels for touch, 24 for a mouse. @see WCAG 2.2, 2.5.8 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect } from "vitest";
import { tabIds } from "../../src/console/state/address.ts";
import { hasBrowser, useBrowser } from "../browser/support.ts";
import { repository } from "../server/support.ts";
import { handMonitoring } from "./hand-monitoring.ts";
import { tooSmall } from "./too-small.ts";
import { a, b, lambda, suiteOf } from "./stored-targets.ts";
import { longTest } from "../support/runs.ts";

const browser = useBrowser();

async function opened(isTouch: boolean) {
  const files = repository();
  writeFileSync(join(files.root, "deployments.yaml"), JSON.stringify(suiteOf(a, b, lambda)));
  // A document that differs from the file is a draft.
  const stored = { "service-management.v1": JSON.stringify(suiteOf(a, lambda)) };
  const open = await handMonitoring(browser, { isPhone: isTouch, isTouch, stored, server: { repository: files } });
  await open.telemetry.watchers(1);
  open.give([{ name: "shop" }, { name: "gone", status: "errored" }], { missingExpected: ["mailer"] });
  await open.page.getByRole("button", { name: "shop" }).first().click();
  await open.page.getByRole("link", { name: "Open the log" }).click();
  await open.page.getByRole("log").waitFor();
  return open;
}

describe.skipIf(!hasBrowser)("every control", () => {
  longTest.each([
    ["with a finger is at least 44 pixels high", true, 44],
    ["with a pointer is at least 24 pixels wide and high", false, 24],
  ] as const)("%s, in every view", async (_name, isTouch, least) => {
    const { page } = await opened(isTouch);
    await expect.poll(() => page.evaluate(() => matchMedia("(pointer: coarse)").matches)).toBe(isTouch);
    const found = (await tooSmall(page, least)).map((words) => `monitoring ${words}`);
    for (const id of tabIds.slice(1)) {
      await page.evaluate((next) => void (location.hash = `#/${next}`), id);
      await page.locator(`#panel.${id} h1`).waitFor();
      if (id === "targets") await page.getByRole("button", { name: "Copy patch" }).waitFor();
      found.push(...(await tooSmall(page, least)).map((words) => `${id} ${words}`));
    }
    expect(found).toEqual([]);
  });
});
