/// <reference lib="dom" />
import { describe, expect, onTestFinished, test } from "vitest";
import { testServer } from "../server/support.ts";
import { attackerServer, hasBrowser, useBrowser } from "./support.ts";
import { longTest } from "../support/runs.ts";

const browser = useBrowser();
const noPm2 = { env: { PM2_HOME: "/nowhere/pm2" } };

/** Opens the page and records policy violations and requests. */
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
  await page.goto(url);
  await page.getByText("The processes of PM2 cannot be read").waitFor();
  return { page, requests, problems };
}

describe.skipIf(!hasBrowser)("the page", () => {
  test("the page complies with its own policy and sends requests only to its server", async () => {
    const server = await testServer(noPm2);
    const { requests, problems } = await openPage(server.url);
    expect(problems).toEqual([]);
    expect(requests.length).toBeGreaterThanOrEqual(3);
    expect(requests.filter((url) => !url.startsWith(`${server.url}/`))).toEqual([]);
    expect(server.log.join("")).not.toContain("refused");
  });

  longTest("the policy blocks and reports inline styles, scripts and foreign images", async () => {
    const [server, attacker] = [await testServer(noPm2), await attackerServer()];
    const { page, problems } = await openPage(server.url);
    await page.evaluate((foreign) => {
      const both = new Promise<void>((resolve) => {
        const directives = new Set<string>();
        document.addEventListener("securitypolicyviolation", ({ violatedDirective }) => {
          if (directives.add(violatedDirective).size === 2) resolve();
        });
      });
      document.body.append(Object.assign(document.createElement("style"), { textContent: "body { color: red }" }));
      document.body.append(Object.assign(document.createElement("img"), { src: foreign }));
      return both;
    }, `http://127.0.0.1:${attacker.port}/image`);
    expect(problems.join("\n")).toMatch(/style-src/);
    expect(problems.join("\n")).toMatch(/img-src/);
    expect(attacker.seen).toEqual([]);
  });

  longTest.each(["light", "dark"] as const)("is styled and never wider than a phone, %s", async (colorScheme) => {
    const server = await testServer(noPm2);
    const { page } = await openPage(server.url, { colorScheme, viewport: { width: 320, height: 700 } });
    const look = await page.evaluate(() => ({
      width: document.documentElement.scrollWidth,
      background: getComputedStyle(document.documentElement).backgroundColor,
      landmarks: document.querySelectorAll("main, header, nav").length,
    }));
    const background = colorScheme === "light" ? "rgb(244, 245, 247)" : "rgb(13, 14, 18)";
    expect(look).toMatchObject({ width: 320, background });
    expect(look.landmarks).toBeGreaterThanOrEqual(3);
  });

  longTest("names the next step if its script does not load", async () => {
    const server = await testServer(noPm2);
    const page = await browser().newPage();
    onTestFinished(() => page.close());
    await page.route(/main\./, (route) => route.abort());
    await page.goto(server.url);
    const line = page.getByText("The console's script is not loaded.");
    await expect.poll(() => line.isVisible()).toBe(false);
    await line.waitFor();
    await expect.poll(() => line.innerText()).toContain("SVC_SERVICE_MANAGEMENT_PUBLIC_URL");
  });

  longTest("opens from a link on another site", async () => {
    const server = await testServer(noPm2);
    const attacker = await attackerServer(`<!doctype html><a href="${server.url}/">here</a>`);
    const page = await browser().newPage();
    onTestFinished(() => page.close());
    await page.goto(`http://evil.example:${attacker.port}/`);
    await page.getByRole("link", { name: "here" }).click();
    await page.getByRole("heading", { name: "Monitoring" }).waitFor();
    expect(new URL(page.url()).origin).toBe(server.url);
  });
});
