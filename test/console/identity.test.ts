/// <reference lib="dom" />
/** The stored state of the page belongs to one server, even if another server answers at its address. */
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { hasBrowser, switchboard, useBrowser } from "../browser/support.ts";
import { testServer, type TestServer } from "../server/support.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { manualTelemetry, sample, withTelemetry } from "../server/socket/hand-telemetry.ts";
import { expectAccessible } from "./accessibility.ts";
import { openConsole } from "./open-console.ts";
import { longTest } from "../support/runs.ts";

const browser = useBrowser();
const TOKEN = "a-token-of-server-a-1234567890";
/** No PM2 runs there; a refused action is recorded there. */
const noPm2 = {
  get PM2_HOME() {
    return temporaryFolder();
  },
};
const withToken = () => ({ ...noPm2, SVC_SERVICE_MANAGEMENT_AUTH_TOKEN: TOKEN });
const KEY = "service-management.v1";
const document = { version: KEY, deployments: [{ name: "eu", deployTarget: "vm" }] };
const OTHER = "Another server answers at this address";
const FOREIGN = "This browser holds the document of another server";

async function forwarded(env: Readonly<Record<string, string>> = withToken()) {
  const [a, b] = [await testServer({ env }), await testServer({ env: withToken() })];
  const forwarder = await switchboard();
  forwarder.pointTo(a.port);
  return { a, b, forwarder, url: `http://127.0.0.1:${forwarder.port}` };
}

/** Returns whether a request carried the token. The log of a server does not show headers. */
function carried(requests: readonly { headers(): Record<string, string> }[]): boolean {
  return requests.some((request) => JSON.stringify(request.headers()).includes(TOKEN));
}

const stored = (page: Page): Promise<string | null> => page.evaluate((key) => window.localStorage.getItem(key), KEY);
const countRequests = (server: TestServer): number => server.log.filter((line) => line.includes('"/api/')).length;

describe.skipIf(!hasBrowser)("another server at the same address", () => {
  longTest(
    "receives no token and no document while the page is open; the page says so and reconnects to the first server",
    async () => {
      const { a, b, forwarder, url } = await forwarded();
      const open = await openConsole(browser, url, { tab: "environment", mayFail: true });
      const { page, field, button, requests } = open;
      await field("HTTP framework").selectOption("fastify");
      await button("Save").click();
      await field("Token").fill(TOKEN);
      // Chromium repeats a request if its connection is closed, so the request after the save ends before the switch.
      const afterSave = page.waitForResponse((response) => response.url().includes("/api/runtime/pm2-metrics"));
      await button("Continue").click();
      await page.getByText("Saved 1 key to .env.dev.").waitFor();
      await (await afterSave).finished();
      await field("HTTP framework").selectOption("restify");
      forwarder.pointTo(b.port);
      const before = requests.length;
      await button("Save").click();
      await page.getByRole("heading", { name: OTHER }).waitFor();
      await expectAccessible(open);
      expect(carried(requests.slice(before))).toBe(false);
      expect(requests.slice(before).map((request) => new URL(request.url()).pathname)).not.toContain(
        "/api/runtime/env",
      );
      expect(countRequests(b)).toBe(0);
      expect(b.text()).not.toContain("restify");
      forwarder.pointTo(a.port);
      await button("Check again").click();
      await page.getByRole("heading", { name: OTHER }).waitFor({ state: "detached" });
      await page.getByRole("heading", { level: 1, name: "Runtime environment" }).waitFor();
    },
  );

  longTest("monitoring does not connect to it with the token", async () => {
    const telemetry = manualTelemetry();
    const a = await testServer({ env: withToken(), world: withTelemetry(telemetry) });
    const b = await testServer({ env: withToken(), world: withTelemetry(manualTelemetry()) });
    const forwarder = await switchboard();
    forwarder.pointTo(a.port);
    const url = `http://127.0.0.1:${forwarder.port}`;
    const { page, sockets } = await openConsole(browser, url, { mayFail: true });
    await telemetry.watchers(1);
    telemetry.give(sample(1_000));
    await page.locator("tbody tr").first().waitFor();
    forwarder.pointTo(b.port);
    await page.getByRole("heading", { name: OTHER }).waitFor();
    expect(sockets).toHaveLength(1);
    expect(b.log.join("\n")).not.toContain("pm2-ws");
  });

  longTest("after a reload, it receives no token until it asks for one, and has its own document", async () => {
    const { a, b, forwarder, url } = await forwarded();
    const open = await openConsole(browser, url, {
      tab: "targets",
      mayFail: true,
      prepare: (page) =>
        page.addInitScript(
          ([key, text]) => {
            if (window.localStorage.length === 0) window.localStorage.setItem(key, text);
          },
          [KEY, JSON.stringify(document)] as const,
        ),
    });
    const { page, button, requests } = open;
    await page.locator("ul.entries > li").waitFor();
    await page.goto(`${url}/#/environment`);
    await open.field("HTTP framework").selectOption("fastify");
    await button("Save").click();
    await open.field("Token").fill(TOKEN);
    await button("Continue").click();
    await page.getByText("Saved 1 key").waitFor();
    forwarder.pointTo(b.port);
    const before = requests.length;
    await page.reload();
    await page.getByRole("heading", { name: FOREIGN }).waitFor();
    await expectAccessible(open);
    await expect.poll(() => page.getByText("eu", { exact: true }).count()).toBe(0);
    await button("An empty document").click();
    await page.getByRole("link", { name: "Deploy targets" }).click();
    await page.getByText("No deploy targets yet").waitFor();
    expect(carried(requests.slice(before))).toBe(false);
    // The document is restored, and the page does not ask again.
    forwarder.pointTo(a.port);
    await page.reload();
    await page.locator("ul.entries > li").waitFor();
    expect(await stored(page)).toContain('"eu"');
    forwarder.pointTo(b.port);
    await page.reload();
    await page.getByText("No deploy targets yet").waitFor();
  });

  longTest("may start with a copy of the document, which the other server keeps", async () => {
    const { a, b, forwarder, url } = await forwarded(noPm2);
    const { page, button } = await openConsole(browser, url, {
      tab: "targets",
      mayFail: true,
      prepare: (first) =>
        first.addInitScript(
          ([key, text]) => {
            if (window.localStorage.length === 0) window.localStorage.setItem(key, text);
          },
          [KEY, JSON.stringify(document)] as const,
        ),
    });
    await page.locator("ul.entries > li").waitFor();
    forwarder.pointTo(b.port);
    await page.reload();
    await button("A copy of that document").click();
    await page.locator("ul.entries > li").waitFor();
    await button("Delete eu").click();
    await page.getByText("No deploy targets yet").waitFor();
    forwarder.pointTo(a.port);
    await page.reload();
    await page.locator("ul.entries > li").waitFor();
    expect(await stored(page)).toContain('"eu"');
  });
});

describe.skipIf(!hasBrowser)("the server's own environment", () => {
  const production = () => ({ ...noPm2, NODE_ENV: "production" });

  test("is the one that monitoring compares with; another choice is remembered for this server", async () => {
    const telemetry = manualTelemetry({ accepts: ["dev", "staging", "production"] });
    const server = await testServer({ env: production(), world: withTelemetry(telemetry) });
    const { page } = await openConsole(browser, server.url);
    await telemetry.watching(["production 1000"]);
    telemetry.give(sample(1_000));
    await expect
      .poll(() => page.getByRole("combobox", { name: "Environment", exact: true }).inputValue())
      .toBe("production");
    await page.getByRole("combobox", { name: "Environment", exact: true }).selectOption("staging");
    await telemetry.watching(["staging 1000"]);
    const left = telemetry.watchers(0);
    await page.reload();
    await left;
    await telemetry.watching(["staging 1000"]);
    telemetry.give(sample(2_000));
    await expect
      .poll(() => page.getByRole("combobox", { name: "Environment", exact: true }).inputValue())
      .toBe("staging");
  });

  longTest("an app of another environment is started only after a confirmation", async () => {
    const telemetry = manualTelemetry({ accepts: ["dev", "staging", "production"] });
    const server = await testServer({ env: production(), world: withTelemetry(telemetry) });
    const { page, sockets, answer, questions } = await openConsole(browser, server.url, { mayFail: true });
    await telemetry.watchers(1);
    telemetry.give(sample(1_000));
    await page.getByRole("combobox", { name: "Environment", exact: true }).selectOption("dev");
    await telemetry.watching(["dev 1000"]);
    const given = sample(1_000);
    const { ecosystem } = given.payload;
    telemetry.give({
      ...given,
      payload: { ...given.payload, ecosystem: { ...ecosystem, missingExpected: ["dev-worker"] } },
    });
    const sent: string[] = [];
    sockets[0]?.on("framesent", ({ payload }) => sent.push(String(payload)));
    answer(false);
    await page.getByRole("button", { name: "Start dev-worker" }).click();
    await expect
      .poll(() => questions)
      .toEqual(["This server works in the environment production. Start dev-worker of dev here?"]);
    expect(sent).toEqual([]);
    answer(true);
    await page.getByRole("button", { name: "Start dev-worker" }).click();
    await page.locator(".toast").waitFor();
    expect(sent.join()).toContain('"name":"dev-worker"');
  });

  longTest("is preselected in the env editor; without an env file, the server's refusal is shown", async () => {
    const server = await testServer({ env: { ...noPm2, NODE_ENV: "staging" } });
    const { page } = await openConsole(browser, server.url, { tab: "environment" });
    await page.getByText(".env.staging", { exact: true }).first().waitFor();
    await expect
      .poll(() => page.getByRole("combobox", { name: "Environment", exact: true }).inputValue())
      .toBe("staging");
    const other = await testServer({ env: production() });
    const refused = await openConsole(browser, other.url, { tab: "environment" });
    await refused.page.locator("#panel .problem").getByText("Invalid environment request.").waitFor();
    await expect
      .poll(() => refused.page.getByRole("combobox", { name: "Environment", exact: true }).inputValue())
      .toBe("");
    await expect.poll(() => refused.page.getByText("Saving writes").count()).toBe(0);
    // No further try changes the environment of the server, another choice does.
    expect(await refused.button("Try again").count()).toBe(0);
    await refused.page.getByRole("heading", { name: "Choose an environment" }).waitFor();
    await refused.button("dev").click();
    await refused.page.getByText("Saving writes").waitFor();
    await expect
      .poll(() => refused.page.getByRole("combobox", { name: "Environment", exact: true }).inputValue())
      .toBe("dev");
  });

  longTest.each(['"prod"', '"nope"', "5"])(
    "a stored selection of %s is shown and flagged, and writes nothing",
    async (selection) => {
      const server = await testServer({ env: noPm2 });
      const text = `{"version":"${KEY}","runtimeEnvironment":${selection}}`;
      const open = await openConsole(browser, server.url, { tab: "environment", stored: { [KEY]: text } });
      const { page, requests } = open;
      const flag = page.getByRole("list", { name: "Issues of the saved environment" });
      await flag.waitFor();
      await expect.poll(() => flag.textContent()).toContain(selection === "5" ? "runtimeEnvironment" : selection);
      await expect.poll(() => page.getByRole("combobox", { name: "Environment", exact: true }).inputValue()).toBe("");
      await expect.poll(() => page.getByText("Saving writes").count()).toBe(0);
      await expect
        .poll(() => page.getByRole("link", { name: /Runtime environment/ }).textContent())
        .toContain("1 error");
      await expectAccessible(open);
      expect(requests.filter((request) => request.url().includes("/api/runtime/env"))).toEqual([]);
      expect(await stored(page)).toBe(text);
      await page.getByRole("combobox", { name: "Environment", exact: true }).selectOption("staging");
      await page.getByText("Saving writes").waitFor();
      await expect.poll(() => flag.count()).toBe(0);
      expect(JSON.parse((await stored(page)) ?? "")).toMatchObject({ runtimeEnvironment: "staging" });
    },
  );
});
