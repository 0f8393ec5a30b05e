import { describe, expect, test } from "vitest";
import { routes } from "../../src/server/routes.ts";
import { ask, testServer } from "./support.ts";

const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'";

describe("the page", () => {
  test("has the strict policy and the headers of every answer", async () => {
    const { headers } = await ask(await testServer(), "/");
    expect(headers).toMatchObject({
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": POLICY,
      "x-content-type-options": "nosniff",
      "cache-control": "no-store",
      "referrer-policy": "no-referrer",
      "cross-origin-resource-policy": "same-origin",
    });
  });

  test("names product and version, every route, and the command line", async () => {
    const { text } = await ask(await testServer(), "/");
    for (const word of ["<h1>Service Management</h1>", "svcm 1.2.3", "svcm --help"]) expect(text).toContain(word);
    for (const { path, response } of routes) if (response !== undefined) expect(text).toContain(path);
  });

  test("has neither script nor inline style, and asks nothing of anybody else", async () => {
    const { text } = await ask(await testServer(), "/");
    expect(text).not.toMatch(/<script|<style|\sstyle=|\son\w+=|javascript:|https?:|\/\/\w/i);
  });

  test("every link and asset of it is there", async () => {
    const server = await testServer({ env: { PM2_HOME: "/nowhere/pm2" } });
    const { text } = await ask(server, "/");
    const targets = [...text.matchAll(/(?:href|src)="([^"]+)"/g)].map(([, target = ""]) => target);
    expect(targets.length).toBeGreaterThan(6);
    const statusOf = (target: string): number => (target === "/api/runtime/pm2-metrics" ? 500 : 200);
    for (const target of targets) expect((await ask(server, target)).status).toBe(statusOf(target));
  });
});

test.each([
  ["/assets/service-management.css", "text/css; charset=utf-8"],
  ["/assets/service-management.svg", "image/svg+xml"],
])("%s is %s", async (path, type) => {
  const { headers, text } = await ask(await testServer(), path);
  expect(headers["content-type"]).toBe(type);
  expect(headers["x-content-type-options"]).toBe("nosniff");
  expect(text).not.toMatch(/url\(|@import|<script/);
});
