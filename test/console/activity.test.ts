/// <reference lib="dom" />
import { expect, test } from "vitest";
import { hasBrowser, useBrowser } from "../browser/support.ts";
import { ask, post, repository, testServer } from "../server/support.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { axe, overflow } from "./accessibility.ts";
import { openConsole } from "./open-console.ts";
import { mkdirSync } from "node:fs";
import { longTest } from "../support/runs.ts";

const browser = useBrowser();
const noPm2 = {
  get env() {
    return { PM2_HOME: temporaryFolder() };
  },
};

test.skipIf(!hasBrowser)("lists changes newest first, with time, actor and keys, and filters them", async () => {
  const server = await testServer(noPm2);
  await post(server, { values: { SVC_HTTP_FRAMEWORK: "fastify" } });
  await post(server, { environment: "ci", values: { SVC_DATABASE_DRIVER: "MySQL", SVC_REALTIME_API: "yes" } });
  const { page } = await openConsole(browser, server.url, { tab: "activity" });
  const rows = page.locator("tbody tr:not(.day)");
  await rows.nth(1).waitFor();
  const texts = await rows.allTextContents();
  expect(texts).toHaveLength(2);
  expect(await page.locator("thead th").allTextContents()).toEqual(
    expect.arrayContaining(["When", "Action", "Environment", "Keys or process", "By", "Outcome"]),
  );
  expect(texts[0]).toMatch(
    /^\d\d:\d\d:\d\dEnvironment: writeciSVC_DATABASE_DRIVERSVC_REALTIME_APIanonymous, httpsucceededEvents after it$/,
  );
  expect(texts[1]).toContain("devSVC_HTTP_FRAMEWORK");
  expect(texts.join()).not.toMatch(/MySQL|fastify/);
  await expect.poll(() => axe(page)).toEqual([]);
  await page.getByRole("searchbox").fill("http_framework DEV");
  await expect.poll(() => rows.count()).toBe(1);
  await page.getByRole("searchbox").fill("nobody");
  await page.getByText("No record matches").waitFor();
  await page.getByRole("searchbox").fill("");
  await post(server, { values: { SVC_HTTP_FRAMEWORK: "restify" } });
  await page.getByRole("button", { name: "Refresh" }).click();
  await rows.nth(2).waitFor();
  await page.setViewportSize({ width: 390, height: 844 });
  expect({ violations: await axe(page), overflow: await overflow(page) }).toEqual({ violations: [], overflow: 0 });
  await page.setViewportSize({ width: 280, height: 700 });
  expect(await rows.evaluateAll(overlappingActions)).toEqual([]);
});

/** Returns the actions of which the outcome covers a part. */
function overlappingActions(rows: Element[]): (string | null)[] {
  const boxOf = (node: Node): DOMRect => {
    const range = document.createRange();
    range.selectNodeContents(node);
    return range.getBoundingClientRect();
  };
  const actions = rows.map((row) => row.querySelector("th")!);
  return actions
    .filter((action) => {
      const [box, outcome] = [boxOf(action), boxOf(action.parentElement!.lastElementChild!)];
      return box.right > outcome.left && box.top < outcome.bottom && outcome.top < box.bottom;
    })
    .map((action) => action.textContent);
}

longTest.skipIf(!hasBrowser)("the filter finds exactly what a row shows, in the reader's time zone", async () => {
  const server = await testServer(noPm2);
  await post(server, { values: { SVC_HTTP_FRAMEWORK: "fastify" } });
  const { page } = await openConsole(browser, server.url, { tab: "activity", timeZone: "Asia/Tokyo" });
  await page.getByText("Times are in Asia/Tokyo.").waitFor();
  const time = page.locator("tbody time");
  const [shown, utc] = [(await time.textContent()) ?? "", (await time.getAttribute("datetime")) ?? ""];
  const inTokyo = new Date(Date.parse(utc) + 9 * 3_600_000).toISOString();
  const day = (await page.locator("tr.day").textContent()) ?? "";
  expect(`${day}T${shown}`).toBe(inTokyo.slice(0, 19));
  for (const part of [`${day} ${shown}`, day, shown.slice(0, 5)]) {
    await page.getByRole("searchbox").fill(part);
    await expect.poll(() => page.locator("tbody tr:not(.day)").count()).toBe(1);
  }
  await page.getByRole("searchbox").fill(utc);
  await page.getByText("No record matches").waitFor();
});

longTest.skipIf(!hasBrowser)("if the log cannot be loaded, the user can request it again", async () => {
  const server = await testServer(noPm2);
  const { page, button } = await openConsole(browser, server.url, {
    tab: "activity",
    mayFail: true,
    prepare: (first) => first.route("**/api/runtime/audit?*", (route) => route.abort(), { times: 1 }),
  });
  await page.getByText("The server cannot be reached.").waitFor();
  await button("Try again").click();
  await page.getByText("Nothing has happened in the last 7 days").waitFor();
  await expect.poll(() => page.getByText("The server cannot be reached.").count()).toBe(0);
});

longTest.skipIf(!hasBrowser)("an empty log says which actions leave a record", async () => {
  const server = await testServer(noPm2);
  const { page } = await openConsole(browser, server.url, { tab: "activity" });
  await page.getByText("Nothing has happened in the last 7 days").waitFor();
  await expect.poll(() => page.locator(".empty code").textContent()).toBe("svcm events");
});

longTest.skipIf(!hasBrowser)("a log that cannot be read is reported with the server's message", async () => {
  const files = repository();
  mkdirSync(files.auditFile, { recursive: true });
  const server = await testServer({ ...noPm2, repository: files });
  const { json } = await ask(server, "/api/runtime/audit");
  const { page } = await openConsole(browser, server.url, { tab: "activity", mayFail: true });
  const words = page.locator("#panel .status-line.error");
  await words.waitFor();
  for (const part of [json.error, json.details, json.code, json.path]) {
    if (part !== undefined) await expect.poll(() => words.textContent()).toContain(part);
  }
  expect(json.code).toBeDefined();
});

test.skipIf(!hasBrowser)("does not say that nothing has happened while the events are still read", async () => {
  const server = await testServer(noPm2);
  let release = (): void => {};
  const held = new Promise<void>((resolve) => void (release = resolve));
  let changes: Promise<unknown> | undefined;
  const { page } = await openConsole(browser, server.url, {
    tab: "activity",
    prepare: async (opened) => {
      changes = opened.waitForResponse(/\/api\/runtime\/audit/);
      await opened.route(/\/api\/events/, async (route) => {
        await held;
        await route.continue();
      });
    },
  });
  await changes;
  await page.getByText("Reading what happened…").waitFor();
  expect(await page.getByText("Nothing has happened in the last 7 days").count()).toBe(0);
  release();
  await page.getByText("Nothing has happened in the last 7 days").waitFor();
});
