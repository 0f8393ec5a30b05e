/// <reference lib="dom" />
/** Secrets of env files, ecosystem files and processes are in no byte that the browser receives or stores. */
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hasBrowser, useBrowser } from "../browser/support.ts";
import { ask, ENV, post, repository, type Repository } from "../server/support.ts";
import { pm2 } from "../support/pm2-daemon.ts";
import { row, serverOver } from "./monitoring-page.ts";
import { openConsole, type OpenedConsole } from "./open-console.ts";
import { readFileSync, writeFileSync } from "node:fs";
import { longTest } from "../support/runs.ts";

const browser = useBrowser();
const real = pm2();
const TOKEN = "canary-token-of-sixteen-and-more";
const CANARY = /canary/i;

beforeAll(async () => {
  await real.startDaemon();
  const env = { SVC_JWT_TOKEN_SECRET_KEY: "canary-declared", DATABASE_URL: "postgres://u:canary-url@db/x", OLD: "1" };
  real.pm2Folder([{ name: "api", script: "./api.cjs", env }]);
  real.pm2Folder([{ name: "api", script: "./api.cjs", env }], "staging");
  await real.run({
    name: "api",
    env: { SVC_JWT_TOKEN_SECRET_KEY: "canary-running", API_KEY: "canary-key", OLD: "canary-plain-value" },
  });
});

afterAll(() => real.end());

function plantedFiles(): Repository {
  const files = repository();
  const lines = [
    "SVC_JWT_TOKEN_SECRET_KEY=canary-jwt",
    "SVC_REDIS_PASSWORD=canary-redis",
    "SVC_RABBITMQ_URL=amqp://user:canary-amqp@host",
    "SVC_WEBSOCKET_REDIS_URL=redis://:canary-userinfo@host:6379",
    "NOT_IN_THE_CONTRACT=canary-foreign",
    "# SVC_REDIS_PASSWORD=canary-comment",
    "canary without an assignment",
    "",
  ];
  for (const name of ["dev", "staging", "ci"]) {
    const file = files.envFile(name);
    writeFileSync(file, `${readFileSync(file, "utf8")}${lines.join(`-${name}\n`)}`);
  }
  return files;
}

function held(page: Page): Promise<string> {
  return page.evaluate(() => {
    const fields = [...document.querySelectorAll<HTMLInputElement>("input, textarea, select")].map(
      ({ value }) => value,
    );
    const storages = [localStorage, sessionStorage].map((storage) => JSON.stringify(Object.entries(storage)));
    return [document.documentElement.outerHTML, document.title, location.href, ...fields, ...storages].join("\n");
  });
}

async function everyTab({ page, field, tab, button }: OpenedConsole): Promise<string[]> {
  const seen: string[] = [];
  const look = async (): Promise<void> => void seen.push(await held(page));
  await page.getByRole("checkbox", { name: "Async context" }).check();
  await row(page, "api").getByText("drift", { exact: true }).waitFor();
  await page.getByRole("button", { name: "api" }).first().click();
  await page.getByRole("region", { name: "Drift from the ecosystem file" }).waitFor();
  await look();
  await page.keyboard.press("Escape");
  await button("Restart api").click();
  await page.getByText(/^api restarted/).waitFor();
  await look();
  await tab("Runtime environment").click();
  await field("Compare dev with").selectOption("staging");
  await page.getByText("never shown").first().waitFor();
  await page.getByText("ENV_LINE_UNREADABLE").waitFor();
  await field("HTTP framework").selectOption("restify");
  await look();
  await button("Save").click();
  await page.getByText("Saved 1 key to .env.dev.").waitFor();
  await look();
  await tab("PM2 preview").click();
  await page.getByText("[REDACTED]").first().waitFor();
  await look();
  for (const name of ["Service configuration", "Deploy targets", "Interfaces", "Export"]) {
    await tab(name).click();
    await page.locator("nav a[aria-current=page]", { hasText: name }).first().waitFor();
    await look();
  }
  await tab("Activity").click();
  await page.locator("tbody tr").nth(1).waitFor();
  await look();
  return seen;
}

describe.skipIf(!hasBrowser)("secrets", () => {
  longTest("are in no response, no frame, no text of the page and no storage", async () => {
    const files = plantedFiles();
    const server = await serverOver(real, { repository: files });
    await post(server, { values: { SVC_JWT_TOKEN_SECRET_KEY: "canary-posted" } });
    const open = await openConsole(browser, server.url, { isRecorded: true });
    const seen = await everyTab(open);
    const received = await open.received();
    for (const name of ["dev", "staging", "ci"]) expect(server.text(name).match(/canary/g)).toHaveLength(7);
    for (const sign of ["SVC_RABBITMQ_URL", '"type":"metrics"', '"type":"action-result"', "[REDACTED]", "env.write"]) {
      expect(received).toContain(sign);
    }
    expect(received).not.toMatch(CANARY);
    expect(seen).toHaveLength(10);
    expect(seen.join("\n")).not.toMatch(CANARY);
    expect(server.log.join("\n")).not.toMatch(CANARY);
  });

  test("a deliberate leak is detected in each of these places", async () => {
    const files = repository();
    writeFileSync(
      files.envFile("dev"),
      `${readFileSync(files.envFile("dev"), "utf8")}\nSVC_DATABASE_NAME=canary-shown\n`,
    );
    const server = await serverOver(real, { repository: files });
    const open = await openConsole(browser, server.url, { tab: "environment", isRecorded: true });
    await open.page.getByText("canary-shown").waitFor();
    await expect.poll(() => open.received()).toMatch(CANARY);
    await expect.poll(() => held(open.page)).toMatch(CANARY);
  });
});

describe.skipIf(!hasBrowser)("an entered token", () => {
  longTest("is kept in this tab of the browser only, and sent in headers and a subprotocol only", async () => {
    const server = await serverOver(real, {
      host: "0.0.0.0",
      env: { SVC_SERVICE_MANAGEMENT_AUTH_TOKEN: TOKEN },
    });
    const url = `http://127.0.0.1:${server.port}`;
    const open = await openConsole(browser, url, { mayFail: true, isRecorded: true, beginsWith: "dialog" });
    const { page, field, button, tab, requests, sockets } = open;
    await field("Token").fill(TOKEN);
    await button("Continue").click();
    await row(page, "api").waitFor();
    await tab("Runtime environment").click();
    await field("HTTP framework").selectOption("fastify");
    await button("Save").click();
    await page.getByText("Saved 1 key to .env.dev.").waitFor();
    const stores = () =>
      page.evaluate(() => ({
        local: JSON.stringify(localStorage),
        session: JSON.stringify(sessionStorage),
        cookie: document.cookie,
      }));
    const health = await ask(server, "/healthz");
    const tokens = JSON.stringify({ [health.json.server]: TOKEN });
    expect(await stores()).toEqual({ local: "{}", session: JSON.stringify({ "svcm.token": tokens }), cookie: "" });
    const urls = [...requests, ...sockets, ...page.frames()].map((source) => source.url());
    expect(urls.filter((each) => CANARY.test(decodeURIComponent(each)))).toEqual([]);
    expect(urls.join()).not.toContain(Buffer.from(TOKEN).toString("base64url"));
    const bodies = requests.map((request) => request.postData() ?? "").join("\n");
    expect(bodies).not.toMatch(CANARY);
    const write = requests.findLast((request) => request.method() === "POST");
    expect(write?.url()).toBe(`${url}${ENV}`);
    expect(await write?.headerValue("authorization")).toBe(`Bearer ${TOKEN}`);
    await expect.poll(() => open.received()).not.toMatch(CANARY);
    await expect.poll(() => page.content()).not.toMatch(CANARY);
    expect(server.log.join("\n")).not.toMatch(CANARY);
    await page.reload();
    await page.getByText(/^Saving writes .*\/\.env\.dev only$/).waitFor();
    const other = await page.context().newPage();
    await other.goto(url);
    await other.getByRole("dialog", { name: /^Enter the access token of / }).waitFor();
    await expect.poll(() => other.evaluate(() => sessionStorage.length)).toBe(0);
  });
});
