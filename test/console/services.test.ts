/// <reference lib="dom" />
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hasBrowser, useBrowser } from "../browser/support.ts";
import { pm2 } from "../support/pm2-daemon.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { testServer } from "../server/support.ts";
import { axe, expectAccessibleInEveryLook, overflow } from "./accessibility.ts";
import { press, tabTo } from "./keyboard.ts";
import { names, row } from "./monitoring-page.ts";
import { openConsole, type ConsoleOptions } from "./open-console.ts";
import { runApi, serviceRepository, serviceServer } from "./services-page.ts";
import { longTest } from "../support/runs.ts";

const browser = useBrowser();
const real = pm2();

beforeAll(() => real.startDaemon());
afterAll(() => real.end());

/** The services orders and billing with one process each, and a process that no service declares. */
async function twoServices(options: ConsoleOptions = {}, isRunning = true) {
  const files = serviceRepository(["orders", "billing"]);
  const running = await real.ports().processes.list();
  if (isRunning && running.length === 0) {
    for (const service of ["orders", "billing"]) await runApi(real, files, service);
    await real.run({ name: "stray" });
  }
  const server = await serviceServer(files, real);
  const opened = await openConsole(browser, server.url, { mayFail: true, ...options });
  const choice = opened.page.getByRole("combobox", { name: "Service", exact: true });
  await choice.waitFor();
  return { ...opened, files, server, choice };
}

const ABOUT_SERVICES = /\/api\/runtime\/(?:env|pm2-ecosystem|pm2-metrics)/;

describe.skipIf(!hasBrowser)("the switch of services", () => {
  longTest(
    "is absent in a repository without services or with a single service, and no request names one",
    async () => {
      for (const repository of [undefined, serviceRepository(["orders"])]) {
        const server = await testServer({ ...(repository && { repository }), env: { PM2_HOME: temporaryFolder() } });
        const { page, requests } = await openConsole(browser, server.url, { tab: "environment", mayFail: true });
        await page.getByLabel("HTTP framework", { exact: true }).waitFor();
        await expect.poll(() => page.locator(".switch").count()).toBe(0);
        expect(requests.map((request) => request.url()).filter((url) => url.includes("service="))).toEqual([]);
      }
    },
  );

  longTest(
    "narrows the processes to those of the service; an undeclared process is shown only with all services",
    async () => {
      const { page, choice, sockets } = await twoServices();
      await row(page, "stray").getByText("undeclared").waitFor();
      await expect.poll(() => names(page)).toEqual(["stray", "billing-api", "orders-api"]);
      await expect
        .poll(() => page.locator(".missing bdi").allTextContents())
        .toEqual(["billing-worker", "orders-worker"]);
      const sent = sockets[0]?.waitForEvent("framesent", ({ payload }) =>
        String(payload).includes('"service":"orders"'),
      );
      await choice.selectOption("orders");
      await sent;
      await row(page, "stray").waitFor({ state: "detached" });
      await expect.poll(() => names(page)).toEqual(["orders-api"]);
      await expect
        .poll(() =>
          row(page, "orders-api")
            .getByText(/drift|undeclared/)
            .count(),
        )
        .toBe(0);
      await expect.poll(() => page.locator(".missing bdi").allTextContents()).toEqual(["orders-worker"]);
      await choice.selectOption("All services");
      await row(page, "billing-api").waitFor();
    },
  );

  test("is in the address, stays across tabs and a reload, and every request of the page includes it", async () => {
    const { page, choice, requests, tab, files } = await twoServices({}, false);
    await choice.selectOption("billing");
    await page.waitForURL(/#\/monitoring\?service=billing&environment=dev$/);
    const before = requests.length;
    await tab("Runtime environment").click();
    await page.waitForURL(/#\/environment\?service=billing&environment=dev$/);
    await page.getByText(`Saving writes ${files.envFile("billing")} only`).waitFor();
    await expect.poll(() => page.getByLabel("HTTP framework", { exact: true }).inputValue()).toBe("hapi");
    await tab("PM2 preview").click();
    await page.getByRole("rowheader", { name: "billing-worker" }).waitFor();
    await expect
      .poll(() => page.locator(".apps tbody th").allTextContents())
      .toEqual(["billing-api", "billing-worker"]);
    await page.reload();
    await page.getByRole("rowheader", { name: "billing-worker" }).waitFor();
    await expect.poll(() => choice.inputValue()).toBe("billing");
    await tab("Activity").click();
    await page.waitForURL(/#\/activity\?service=billing$/);
    const urls = requests.slice(before).map((request) => request.url());
    const about = urls.filter((url) => ABOUT_SERVICES.test(url));
    expect(about.length).toBeGreaterThan(3);
    expect(about.filter((url) => new URL(url).searchParams.get("service") !== "billing")).toEqual([]);
  });

  longTest("back and forward restore the service of each view", async () => {
    const { page, choice, tab } = await twoServices({ tab: "activity?service=orders" });
    await tab("PM2 preview").click();
    await choice.selectOption("billing");
    await page.goBack();
    await page.waitForURL(/#\/activity\?service=orders$/);
    await expect.poll(() => choice.inputValue()).toBe("orders");
    await page.goForward();
    await page.waitForURL(/#\/pm2\?service=billing&environment=dev$/);
    await expect.poll(() => choice.inputValue()).toBe("billing");
  });

  longTest("a save writes the env file of the chosen service only", async () => {
    const { page, posts, files, field, button } = await twoServices({ tab: "environment?service=billing" });
    const before = files.text("orders");
    await field("HTTP framework").selectOption("fastify");
    await button("Save").click();
    await page.getByText("Saved 1 key to .env.").waitFor();
    expect(posts.map(({ body }) => body)).toEqual([
      { environment: "dev", values: { SVC_HTTP_FRAMEWORK: "fastify" }, service: "billing" },
    ]);
    expect([files.text("billing"), files.text("orders")]).toEqual(["SVC_HTTP_FRAMEWORK=fastify\n", before]);
  });

  longTest("an action and a command of the page name the chosen service", async () => {
    const { page, sockets } = await twoServices({ tab: "monitoring?service=orders" });
    const start = page.getByRole("button", { name: "Start orders-worker" });
    await start.waitFor();
    const sent = sockets[0]?.waitForEvent("framesent", ({ payload }) => String(payload).includes('"action"'));
    await start.click();
    expect(JSON.parse(String((await sent)?.payload))).toMatchObject({ name: "orders-worker", service: "orders" });
    await page.getByText(/^orders-worker started/).waitFor();
    await page.mouse.move(0, 0);
    await row(page, "orders-worker").waitFor();
  });
});

describe.skipIf(!hasBrowser)("the runtime environment if there are several services", () => {
  longTest("asks for a service, also by keyboard, and requests no file before one is selected", async () => {
    const { page, requests, choice } = await twoServices({ tab: "environment" });
    await page.getByRole("heading", { name: "Choose a service" }).waitFor();
    await expect
      .poll(() => choice.locator("option").allTextContents())
      .toEqual(["Choose a service", "orders", "billing"]);
    await tabTo(page, "orders");
    await press(page, "Enter");
    await page.waitForURL(/#\/environment\?service=orders&environment=dev$/);
    await page.getByLabel("HTTP framework", { exact: true }).waitFor();
    const read = requests.map((request) => request.url()).filter((url) => url.includes("/api/runtime/env"));
    expect(read.filter((url) => !url.includes("service=orders"))).toEqual([]);
  });

  longTest("the switch asks before it discards an edit, and stays if the user does", async () => {
    const { page, choice, field, answerNext } = await twoServices({ tab: "environment?service=orders" });
    await field("HTTP framework").selectOption("fastify");
    const kept = answerNext(false);
    await choice.selectOption("billing");
    expect(await kept).toContain("1 change to .env not saved");
    await expect.poll(() => choice.inputValue()).toBe("orders");
    await expect.poll(() => field("HTTP framework").inputValue()).toBe("fastify");
    const left = answerNext(true);
    await choice.selectOption("billing");
    await left;
    await expect.poll(() => field("HTTP framework").inputValue()).toBe("hapi");
    expect(page.url()).toContain("service=billing");
  });

  longTest(
    "a link to a service that does not exist shows the server's refusal, and another service can be selected",
    async () => {
      const { page, choice, field } = await twoServices({ tab: "environment?service=gone" });
      await page.getByText("Accepted: orders, billing.").waitFor();
      await expect.poll(() => choice.locator("option:checked").textContent()).toBe("gone (not declared)");
      await choice.selectOption("orders");
      await field("HTTP framework").waitFor();
    },
  );
});

longTest.skipIf(!hasBrowser)(
  "the header with services is accessible in every theme, and fits from 320 to 1,920 pixels",
  async () => {
    const files = serviceRepository(["orders", "a-service-with-a-rather-long-name-of-fifty-letters"]);
    const server = await serviceServer(files, real);
    const { page, choice } = await (async () => {
      const opened = await openConsole(browser, server.url, { tab: "activity", mayFail: true });
      return { ...opened, choice: opened.page.getByRole("combobox", { name: "Service", exact: true }) };
    })();
    await choice.selectOption("a-service-with-a-rather-long-name-of-fifty-letters");
    await expectAccessibleInEveryLook({ page });
    for (const width of [320, 390, 768, 1280, 1920]) {
      await page.setViewportSize({ width, height: 800 });
      expect([width, await overflow(page)]).toEqual([width, 0]);
      const cut = await page.locator(".top").evaluate((bar) => {
        const { right } = bar.getBoundingClientRect();
        return [...bar.children].filter((child) => child.getBoundingClientRect().right > right + 1).length;
      });
      expect([width, cut]).toEqual([width, 0]);
    }
    await tabTo(page, /^Service/);
    await page.keyboard.type("orders");
    await page.waitForURL(/service=orders$/);
    await expect.poll(() => axe(page)).toEqual([]);
  },
);
