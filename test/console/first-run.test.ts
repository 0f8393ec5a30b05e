/// <reference lib="dom" />
/** Empty tabs say that they are empty and name the next step. */
import { mkdirSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { describe, expect, test } from "vitest";
import { hasBrowser, useBrowser } from "../browser/support.ts";
import { repository, testServer } from "../server/support.ts";
import { pm2 } from "../support/pm2-daemon.ts";
import { expectAccessible, expectAccessibleInEveryLook } from "./accessibility.ts";
import { serverOver } from "./monitoring-page.ts";
import { openConsole, titleOf } from "./open-console.ts";
import { longTest } from "../support/runs.ts";

const browser = useBrowser();
const noPm2 = { env: { PM2_HOME: "/nowhere/pm2" } };

/** A repository without env files and ecosystem files, on a machine without a PM2_HOME. */
function nothing() {
  return testServer({ ...noPm2, repository: repository({}) });
}

/** For each tab, the text that says that it is empty, and the text that names the next step. */
const lessons: readonly (readonly [tab: string, empty: string, step: RegExp | string])[] = [
  ["monitoring", "The processes of PM2 cannot be read", "svcm start --ecosystem"],
  ["environment", "dev has no env file.", /Create the file at the path above, even an empty one, and try again/],
  ["pm2", "No ecosystem for dev.", /Write ecosystem\.dev\.config\.cjs at the path above and read it again/],
  ["service", "No service configuration is saved yet.", /Check the defaults, enter the port, and save/],
  ["targets", "No deploy targets yet", /in the form above, or import the deployments\.yaml of your repository/],
  ["interfaces", "No interface adapters yet", /Describe the first one in the form above/],
  ["transfer", "Nothing is described yet.", /Fill in the service configuration and the deploy targets, or import/],
  ["activity", "Nothing has happened in the last 7 days", "svcm events"],
];

describe.skipIf(!hasBrowser)("a first run", () => {
  longTest("every tab shows the next step, and is accessible in every theme", async () => {
    const server = await nothing();
    const { page } = await openConsole(browser, server.url, { mayFail: true });
    for (const [tab, empty, step] of lessons) {
      await page.evaluate((id) => void (location.hash = `#/${id}`), tab);
      const panel = page.locator(`#panel.${tab}`);
      await panel.getByText(empty).waitFor();
      expect((await panel.innerText()).replaceAll(/\s+/g, " ")).toMatch(step);
      await expectAccessibleInEveryLook({ page });
    }
    await expect.poll(() => page.evaluate(() => localStorage.length)).toBe(0);
  });

  longTest("without PM2, its error is shown, no process is listed, and the charts of the host continue", async () => {
    const server = await nothing();
    const { page, sockets } = await openConsole(browser, server.url);
    await page.getByText("The processes of PM2 cannot be read").waitFor();
    const frames: string[] = [];
    sockets[0]?.on("framereceived", ({ payload }) => void frames.push(String(payload)));
    const words = page.locator(".processes .status-line.error");
    await expect.poll(() => words.innerText()).toContain("PM2_NOT_RUNNING");
    const memory = page.getByRole("region", { name: "Memory", exact: true });
    await expect.poll(() => memory.locator(".now").innerText()).toMatch(/^\d+\.\d%$/);
    for (let host = 0; host < 3; host += 1) {
      const frame = await sockets[0]?.waitForEvent("framereceived", ({ payload }) =>
        String(payload).includes('"type":"host"'),
      );
      expect(JSON.parse(String(frame?.payload)).payload.host.memory.totalBytes).toBeGreaterThan(0);
    }
    expect(frames.filter((frame) => frame.includes('"type":"metrics"'))).toEqual([]);
    await expect.poll(() => page.locator(".processes tbody tr, .chips, .missing").count()).toBe(0);
    await expect.poll(() => page.title()).toBe(titleOf("(?) Monitoring"));
  });

  test("on a machine of production, the page begins with production", async () => {
    const own = repository({});
    const declared = "{ dev: a.config.cjs, production: b.config.cjs }";
    writeFileSync(
      join(own.root, "svcm.yaml"),
      `version: 1\nenvironments: { dev: [], production: [] }\necosystem: ${declared}\n`,
    );
    for (const name of ["a", "b"])
      writeFileSync(join(own.root, `${name}.config.cjs`), "module.exports = { apps: [] };\n");
    const home = join(own.root, "home");
    mkdirSync(join(home, "svcm", basename(own.root)), { recursive: true });
    writeFileSync(join(home, "svcm", basename(own.root), "environment"), "production\n");
    const server = await testServer({ env: { PM2_HOME: home }, repository: own });
    const { page } = await openConsole(browser, server.url);
    await expect.poll(() => page.title()).toBe(titleOf("(?) Monitoring", "production"));
    expect(await page.locator(".environment-choice select").inputValue()).toBe("production");
  });

  longTest("PM2 without processes: the command that starts them is shown", async () => {
    const real = pm2();
    try {
      await real.startDaemon();
      real.pm2Folder([{ name: "api", script: "./api.cjs" }]);
      const server = await serverOver(real);
      const { page } = await openConsole(browser, server.url);
      await page.getByText("PM2 runs no process").waitFor();
      await page.getByText("svcm start --ecosystem --environment dev", { exact: true }).waitFor();
      await page.getByRole("button", { name: "Start api" }).waitFor();
      await expectAccessible({ page });
    } finally {
      await real.end();
    }
  });

  test("the next steps link to the right tabs", async () => {
    const server = await nothing();
    const { page, button } = await openConsole(browser, server.url, { tab: "targets" });
    await button("Import a document").click();
    await page.getByRole("heading", { level: 1, name: "Export and import" }).waitFor();
    expect(new URL(page.url()).hash).toBe("#/transfer");
  });
});
