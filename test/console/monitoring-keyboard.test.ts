/// <reference lib="dom" />
/** Monitoring by keyboard alone with a real PM2, and with a broken ecosystem file. */
import { writeFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect } from "vitest";
import { hasBrowser, useBrowser } from "../browser/support.ts";
import { ask } from "../server/support.ts";
import { pm2 } from "../support/pm2-daemon.ts";
import { expectAccessible } from "./accessibility.ts";
import { focused, press, tabTo } from "./keyboard.ts";
import { names, nextSample, row, serverOver } from "./monitoring-page.ts";
import { openConsole } from "./open-console.ts";
import { longTest } from "../support/runs.ts";

const browser = useBrowser();
const real = pm2();

beforeAll(async () => {
  await real.startDaemon();
  real.pm2Folder([{ name: "api", script: "./api.cjs" }]);
  await real.run({ name: "api" });
  await real.run({ name: "zeta" });
});

afterAll(() => real.end());

async function live() {
  const server = await serverOver(real);
  const opened = await openConsole(browser, server.url);
  await row(opened.page, "zeta").waitFor();
  return { server, ...opened };
}

describe.skipIf(!hasBrowser)("by keyboard alone", () => {
  longTest("range, pause and resume", async () => {
    const { page } = await live();
    await tabTo(page, "5m");
    await press(page, "ArrowRight");
    await expect.poll(() => page.getByRole("radio", { name: "15m" }).isChecked()).toBe(true);
    await press(page, "Tab");
    await expect.poll(() => focused(page)).toBe("Pause");
    await press(page, "Enter");
    await page.getByText(/^Paused, [1-9]\d* s behind$/).waitFor();
    await expect.poll(() => focused(page)).toBe("Resume");
    await press(page, "Enter");
    await page.getByText(/^Paused/).waitFor({ state: "detached" });
    await nextSample(page);
  });

  longTest("sort, filter by status and by text, compare with another ecosystem", async () => {
    const { page, sockets } = await live();
    await tabTo(page, /^All/);
    await press(page, "ArrowRight");
    await expect.poll(() => page.getByRole("radio", { name: /^Online/ }).isChecked()).toBe(true);
    const sent = sockets[0]?.waitForEvent("framesent", ({ payload }) => String(payload).includes('"staging"'));
    await tabTo(page, /^Environment/);
    await page.keyboard.type("staging");
    await sent;
    await press(page, "Tab", "/");
    await page.keyboard.type("zet");
    await expect.poll(() => names(page)).toEqual(["zeta"]);
    await press(page, "Escape");
    await expect.poll(() => names(page)).toEqual(["api", "zeta"]);
    await tabTo(page, "Name");
    await press(page, "Enter", "Enter");
    await expect.poll(() => names(page)).toEqual(["zeta", "api"]);
    await expect
      .poll(() => page.getByRole("columnheader", { name: "Name" }).getAttribute("aria-sort"))
      .toBe("descending");
  });

  longTest("details, stop, start and restart; an action that ends a process asks first", async () => {
    const { page, questions, answerNext } = await live();
    await tabTo(page, /^zeta/);
    await press(page, "Enter");
    await page.getByRole("region", { name: "Facts" }).waitFor();
    await page.locator("#process:focus").waitFor();
    await press(page, "Escape");
    await page.getByRole("region", { name: "Facts" }).waitFor({ state: "detached" });
    await tabTo(page, "Stop zeta");
    const refused = answerNext(false);
    await press(page, "Enter");
    await refused;
    // The dialog gives the focus back.
    await page.getByRole("button", { name: "Stop zeta" }).and(page.locator(":focus")).waitFor();
    await expect.poll(() => row(page, "zeta").locator(".status").textContent()).toBe("online");
    await press(page, "Enter");
    await page.getByText("zeta stopped.").waitFor();
    await row(page, "zeta").locator(".status.stopped").waitFor();
    await tabTo(page, "Start zeta");
    await press(page, "Enter");
    await page.getByText(/^zeta started \(pid \d+\)\.$/).waitFor();
    await row(page, "zeta").locator(".status.online").waitFor();
    await tabTo(page, "Restart zeta");
    await press(page, "Enter");
    await page.getByText(/^zeta restarted \(pid \d+\)\.$/).waitFor();
    await expect
      .poll(() => questions)
      .toEqual(["Stop zeta (PM2 id 1)?", "Stop zeta (PM2 id 1)?", "Restart zeta (PM2 id 1)?"]);
  });
});

longTest.skipIf(!hasBrowser)(
  "a broken ecosystem file is reported beside the processes, which keep updating",
  async () => {
    const { page, server } = await live();
    writeFileSync(`${real.folder}/pm2/ecosystem.dev.config.cjs`, "module.exports = {");
    const words = page.locator(".processes .problem");
    await words.waitFor();
    const { json } = await ask(server, "/api/runtime/pm2-metrics?environment=dev");
    const { error, code, path } = json.ecosystem;
    expect((await words.innerText()).split("\n")).toEqual([error, `Code ${code}`, `Path ${path}`]);
    await expect
      .poll(() => words.evaluate((element) => element.closest("[aria-live]")?.getAttribute("aria-live")))
      .toBe("polite");
    await expect.poll(() => names(page)).toEqual(["api", "zeta"]);
    await expectAccessible({ page });
    real.pm2Folder([{ name: "api", script: "./api.cjs" }]);
    await words.waitFor({ state: "detached" });
  },
);
