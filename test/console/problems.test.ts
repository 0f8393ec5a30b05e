/// <reference lib="dom" />
/** Problems are visible in the table, beside the tab, in the title and in a hidden page. A message never moves the page. */
import { describe, expect, test } from "vitest";
import { hasBrowser, useBrowser } from "../browser/support.ts";
import { hostSample } from "../server/socket/hand-telemetry.ts";
import { expectAccessible, expectAccessibleInEveryLook } from "./accessibility.ts";
import { handMonitoring, metricsOf } from "./hand-monitoring.ts";
import { titleOf } from "./open-console.ts";
import { longTest } from "../support/runs.ts";

const browser = useBrowser();
const loop = { code: "PROCESS_CRASH_LOOP", details: "It ended by itself and was restarted 26 times." } as const;
const looping = { name: "consumer", status: "online", restartCount: 26, unstableRestarts: 0, problem: loop } as const;

describe.skipIf(!hasBrowser)("a crash loop", () => {
  longTest("is named in the row, and counted beside the tab and in the title, in every theme", async () => {
    const open = await handMonitoring(browser);
    const { page, give, telemetry } = open;
    await telemetry.watchers(1);
    give([looping, { name: "healthy", status: "online", restartCount: 3 }]);
    await page.getByRole("button", { name: "consumer" }).first().waitFor();
    await expect.poll(() => page.locator("tbody tr").first().innerText()).toContain("crash loop");
    await expect.poll(() => page.locator("tbody tr").nth(1).innerText()).not.toContain("crash loop");
    await expect.poll(() => page.getByRole("link", { name: /Monitoring/ }).textContent()).toContain("1 error");
    await expect.poll(() => page.title()).toBe(titleOf("(1) Monitoring"));
    await page.getByRole("radio", { name: /Problem/ }).check();
    await expect.poll(() => page.locator("tbody tr").count()).toBe(1);
    await page.getByRole("region", { name: "Attention" }).getByText(loop.details).waitFor();
    await page.getByRole("button", { name: "consumer" }).first().click();
    await page.getByRole("region", { name: /^Why of consumer/ }).waitFor();
    await expectAccessibleInEveryLook(open);
  });

  longTest("changes title and icon with each sample, also if the browser does not paint the page", async () => {
    const { page, give, telemetry } = await handMonitoring(browser, {
      prepare: (first) => first.addInitScript(() => void (window.requestAnimationFrame = () => 1)),
    });
    await telemetry.watchers(1);
    give([{ status: "errored" }]);
    await expect.poll(() => page.title()).toBe(titleOf("(1) Monitoring"));
    await expect.poll(() => page.locator("link[rel=icon]").getAttribute("href")).toContain("icon-error");
    await expect.poll(() => page.locator("tbody tr").count()).toBe(0);
    give([{ status: "online" }]);
    await expect.poll(() => page.title()).toBe(titleOf("Monitoring"));
  });

  longTest("is counted while another tab is open", async () => {
    const telemetryOf = { collect: async () => metricsOf(Date.now(), [looping, { status: "errored" }]) };
    const { page, telemetry } = await handMonitoring(browser, {
      tab: "activity",
      prepare: (first) => first.clock.install(),
    });
    Object.assign(telemetry, telemetryOf);
    await page.getByText("Nothing has happened in the last 7 days").waitFor();
    await page.clock.runFor(15_000);
    await expect.poll(() => page.title()).toBe(titleOf("(2) Activity"));
  });
});

describe.skipIf(!hasBrowser)("a message over the page", () => {
  longTest("appears and disappears without moving the page, and says what is known", async () => {
    const open = await handMonitoring(browser);
    const { page, give, telemetry } = open;
    await telemetry.watchers(1);
    give([{ name: "api" }]);
    const row = page.locator("tbody tr").first();
    await row.waitFor();
    const before = await row.boundingBox();
    const banner = page.locator(".connection-banner .status-line");
    await banner.waitFor();
    await expect
      .poll(() => banner.textContent())
      .toMatch(/^No sample for \d+ ssome seconds\. PM2 does not answer, or the network is slow\. The values are from /);
    await expect.poll(() => row.boundingBox()).toEqual(before);
    await expectAccessible(open);
    give([{ name: "api" }]);
    await banner.waitFor({ state: "detached" });
    await expect.poll(() => row.boundingBox()).toEqual(before);
  });

  longTest("an error whose text changes with each sample is announced once", async () => {
    const { page, telemetry } = await handMonitoring(browser);
    await telemetry.watchers(1);
    const failing = (second: number) =>
      telemetry.give({
        ...hostSample,
        payload: { ...hostSample.payload, collectedAt: new Date(Date.now() + second * 1000).toISOString() },
        error: { code: "PM2_TIMEOUT", details: `PM2 did not answer, attempt ${second}.` },
      } as typeof hostSample);
    failing(0);
    const words = page.locator(".processes .status-line.error");
    await words.getByText("attempt 0.").waitFor();
    await page.evaluate(() => {
      const counted = window as unknown as { changes: number };
      counted.changes = 0;
      const region = document.querySelector(".processes .status-region");
      if (region === null) throw new Error("there is no region");
      new MutationObserver((list) => (counted.changes += list.length)).observe(region, {
        subtree: true,
        childList: true,
        characterData: true,
      });
    });
    const now = page.locator(".host .now").first();
    for (let second = 1; second <= 3; second += 1) failing(second);
    await now.waitFor();
    await expect.poll(() => page.evaluate(() => (window as unknown as { changes: number }).changes)).toBe(0);
    await expect.poll(() => words.count()).toBe(1);
  });
});

describe.skipIf(!hasBrowser)("actions that are refused", () => {
  /** Each action times out, as with a PM2 that hangs. */
  const hanging = async () => {
    const open = await handMonitoring(browser);
    const { page, give, telemetry } = open;
    await telemetry.watchers(1);
    give([{ name: "auth" }, { name: "mailer" }, { name: "worker" }]);
    await page.locator("tbody tr").nth(2).waitFor();
    return open;
  };

  longTest("are one message that names each of them, and it covers no button of a row", async () => {
    const { page } = await hanging();
    for (const name of ["auth", "mailer", "worker"]) {
      await page.getByRole("button", { name: `Restart ${name}` }).click();
    }
    const toast = page.locator(".toast.error");
    await toast.getByText("Not done: restart of auth, restart of mailer, restart of worker.").waitFor();
    await expect.poll(() => toast.count()).toBe(1);
    const [message, button] = [
      await toast.boundingBox(),
      await page.getByRole("button", { name: "Restart worker" }).boundingBox(),
    ];
    if (message === null || button === null) throw new Error("nothing is there");
    expect(message.x + message.width).toBeLessThan(button.x);
  });

  longTest("are a message below the tabs and the workspace, which stay visible", async () => {
    const { page } = await hanging();
    await page.getByRole("button", { name: "Restart auth" }).click();
    const toast = page.locator(".toast.error");
    await toast.waitFor();
    const { y } = (await toast.boundingBox()) ?? { y: 0 };
    for (const part of [".group.declare", ".place"]) {
      const box = await page.locator(part).boundingBox();
      expect([part, (box?.y ?? Infinity) + (box?.height ?? 0) <= y]).toEqual([part, true]);
    }
  });

  longTest("their message disappears when PM2 can be read again", async () => {
    const { page, give, telemetry } = await hanging();
    await page.getByRole("button", { name: "Restart auth" }).click();
    const toast = page.locator(".toast.error");
    await toast.getByText("restart of auth").waitFor();
    await expect.poll(() => toast.textContent()).toContain("PM2_");
    telemetry.give(hostSample);
    await page.getByText("The processes of PM2 cannot be read").waitFor();
    await expect.poll(() => toast.count()).toBe(1);
    give([{ name: "auth" }]);
    await toast.waitFor({ state: "detached" });
  });
});

describe.skipIf(!hasBrowser)("under the pointer", () => {
  test("nothing moves: a started app stays in its place until the pointer leaves", async () => {
    const { page, give, telemetry } = await handMonitoring(browser);
    await telemetry.watchers(1);
    give([{ name: "api" }], { missingExpected: ["mailer", "worker"] });
    const start = page.getByRole("button", { name: "Start worker" });
    await start.hover();
    const before = await start.boundingBox();
    give([{ name: "api" }, { name: "mailer" }], { missingExpected: ["worker"] });
    await page.getByRole("button", { name: "Started mailer" }).waitFor();
    await expect.poll(() => start.boundingBox()).toEqual(before);
    await expect.poll(() => page.locator("tbody tr").count()).toBe(1);
    await page.mouse.move(0, 0);
    await page.locator("tbody tr").nth(1).waitFor();
    await expect.poll(() => page.locator(".missing li").count()).toBe(1);
  });
});

describe.skipIf(!hasBrowser)("drift", () => {
  longTest("is explained, and the restart that applies it is offered", async () => {
    const { page, give, telemetry, sockets } = await handMonitoring(browser, { server: {}, mayFail: true });
    await telemetry.watchers(1);
    const of = { name: "auth 2", pmIds: [0], declared: null, running: null, field: "env" as const };
    give([{ name: "auth 2" }], { drift: [{ ...of, state: "absent" as const, key: "AUTH_SESSION_MINUTES" }] });
    await page.getByRole("button", { name: "auth 2" }).first().click();
    const drift = page.getByRole("region", { name: "Drift from the ecosystem file" });
    await drift.getByText("declared, not in the running process.").waitFor();
    await expect
      .poll(() => drift.locator(".code-line code").textContent())
      .toBe("svcm restart 'auth 2' --ecosystem --environment dev");
    const sent = sockets.at(-1)?.waitForEvent("framesent", ({ payload }) => String(payload).includes('"action"'));
    await drift.getByRole("button", { name: "Restart with the ecosystem file" }).click();
    expect(JSON.parse(String((await sent)?.payload))).toMatchObject({
      action: "restart",
      scope: "ecosystem",
      name: "auth 2",
    });
  });
});

describe.skipIf(!hasBrowser)("metrics of an app", () => {
  longTest("have their units after the value, once", async () => {
    const { page, give, telemetry } = await handMonitoring(browser);
    await telemetry.watchers(1);
    const customMetrics = { "Heap Size": "7.48", Latency: "3 ms", Requests: 12, constructor: 1 };
    give([{ name: "api", customMetrics, customMetricUnits: { "Heap Size": "MiB", Latency: "ms" } }]);
    await page.getByRole("button", { name: "api" }).first().click();
    const part = page.getByRole("region", { name: "Metrics of the app" });
    await part.waitFor();
    await expect.poll(() => part.locator("dt").allTextContents()).toEqual(Object.keys(customMetrics));
    await expect.poll(() => part.locator("dd").allTextContents()).toEqual(["7.48 MiB", "3 ms", "12", "1"]);
  });
});

describe.skipIf(!hasBrowser)("buttons", () => {
  longTest("without an effect are disabled, with the reason", async () => {
    const { page, give, telemetry } = await handMonitoring(browser);
    await telemetry.watchers(1);
    give([{ name: "gone", status: "errored", pid: null }]);
    const stop = page.getByRole("button", { name: "Stop gone" });
    await stop.waitFor();
    await expect.poll(() => stop.isDisabled()).toBe(true);
    await expect.poll(() => stop.getAttribute("aria-description")).toBe("PM2 has given up on it: nothing runs.");
    await expect.poll(() => page.getByRole("button", { name: "Restart gone" }).isDisabled()).toBe(false);
  });

  longTest(
    "Stop and Restart of the process that serves the page are disabled from the start, with the reason",
    async () => {
      const { page, give, telemetry } = await handMonitoring(browser);
      await telemetry.watchers(1);
      const drift = {
        name: "svcm",
        field: "env",
        key: "NODE_ENV",
        state: "absent",
        declared: null,
        running: null,
      } as const;
      give([{ name: "svcm", isOwn: true }, { name: "api" }], { drift: [{ ...drift, pmIds: [0] }] });
      const nameOf = page.locator(".process-name", { hasText: "svcm" });
      for (const name of ["Stop svcm", "Restart svcm", "Stop", "Restart"]) {
        if (name === "Stop") await nameOf.click();
        const button = page.getByRole("button", { name, exact: true });
        await expect.poll(() => button.isDisabled()).toBe(true);
        await expect
          .poll(() => button.getAttribute("aria-description"))
          .toBe("It serves this page. Use the command line.");
      }
      const apply = page.getByRole("button", { name: "Restart with the ecosystem file" });
      await expect.poll(() => apply.isDisabled()).toBe(true);
      await expect.poll(() => apply.getAttribute("aria-description")).toBe("It serves this page. Use the command.");
      await page.keyboard.press("Escape");
      await expect.poll(() => page.getByRole("button", { name: "Stop api" }).isDisabled()).toBe(false);
    },
  );
});
