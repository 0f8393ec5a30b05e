/// <reference lib="dom" />
import { describe, expect, onTestFinished, test } from "vitest";
import { testServer } from "../server/support.ts";
import { attackerServer, hasBrowser, useBrowser } from "./support.ts";

const browser = useBrowser();

/** Opens the page and listens to what its policy forbids and where it asks. */
async function openPage(url: string, options: Parameters<ReturnType<typeof browser>["newPage"]>[0] = {}) {
  const page = await browser().newPage(options);
  onTestFinished(() => page.close());
  const requests: string[] = [];
  const problems: string[] = [];
  page.on("request", (request) => requests.push(request.url()));
  page.on("console", (message) => problems.push(message.text()));
  page.on("pageerror", (error) => problems.push(String(error)));
  await page.exposeFunction("report", (directive: string) => problems.push(directive));
  await page.addInitScript(() => {
    document.addEventListener("securitypolicyviolation", (event) => {
      (window as unknown as { report(directive: string): void }).report(event.violatedDirective);
    });
  });
  await page.goto(url, { waitUntil: "networkidle" });
  return { page, requests, problems };
}

describe.skipIf(!hasBrowser)("the page", () => {
  test("keeps its own policy and asks nobody else", async () => {
    const server = await testServer();
    const { requests, problems } = await openPage(server.url);
    expect(problems).toEqual([]);
    expect(requests.length).toBeGreaterThanOrEqual(3);
    expect(requests.filter((url) => !url.startsWith(`${server.url}/`))).toEqual([]);
    expect(server.log.join("")).not.toContain("refused");
  });

  test("could not do otherwise: inline styles, scripts and foreign images are stopped, and noticed", async () => {
    const [server, attacker] = [await testServer(), await attackerServer()];
    const { page, problems } = await openPage(server.url);
    await page.evaluate((foreign) => {
      document.body.append(Object.assign(document.createElement("style"), { textContent: "body { color: red }" }));
      document.body.append(Object.assign(document.createElement("img"), { src: foreign }));
    }, `http://127.0.0.1:${attacker.port}/image`);
    await page.waitForLoadState("networkidle");
    expect(problems.join("\n")).toMatch(/style-src/);
    expect(problems.join("\n")).toMatch(/img-src/);
    expect(attacker.seen).toEqual([]);
  });

  test.each(["light", "dark"] as const)("is styled, readable and never wider than a phone, %s", async (colorScheme) => {
    const server = await testServer();
    const { page } = await openPage(server.url, { colorScheme, viewport: { width: 320, height: 700 } });
    const look = await page.evaluate(() => ({
      width: document.documentElement.scrollWidth,
      background: getComputedStyle(document.body).backgroundColor,
      heading: document.querySelector("h1")?.textContent,
      landmarks: document.querySelectorAll("main, header").length,
      unnamed: [...document.querySelectorAll("a")].filter((link) => link.textContent.trim() === "").length,
    }));
    const background = colorScheme === "light" ? "rgb(244, 245, 247)" : "rgb(13, 14, 18)";
    expect(look).toEqual({ width: 320, background, heading: "Service Management", landmarks: 2, unnamed: 0 });
  });

  test("a link of it opens, and so does the page from a link elsewhere", async () => {
    const server = await testServer();
    const attacker = await attackerServer(`<!doctype html><a href="${server.url}/">here</a>`);
    const page = await browser().newPage();
    onTestFinished(() => page.close());
    await page.goto(`http://evil.example:${attacker.port}/`);
    await page.getByRole("link", { name: "here" }).click();
    await page.getByRole("heading", { name: "Service Management" }).waitFor();
    await page.getByRole("link", { name: "/healthz" }).click();
    await page.waitForURL(`${server.url}/healthz`);
    expect(await page.textContent("body")).toContain('"status":"ok"');
  });
});
