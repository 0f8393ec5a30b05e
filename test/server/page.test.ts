import { describe, expect, test } from "vitest";
import { STRICT_POLICY } from "../support/strict-policy.ts";
import { ask, testServer } from "./support.ts";

async function assetsOf(server: { port: number }): Promise<string[]> {
  const { text } = await ask(server, "/");
  return [...text.matchAll(/(?:href|src|content)="(assets\/[^"]+)"/g)].map(([, target = ""]) => `/${target}`);
}

describe("the page", () => {
  test("has the strict policy and the headers of every answer", async () => {
    const { headers } = await ask(await testServer(), "/");
    expect(headers).toMatchObject({
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": STRICT_POLICY,
      "x-content-type-options": "nosniff",
      "cache-control": "no-store",
      "referrer-policy": "no-referrer",
      "cross-origin-resource-policy": "same-origin",
    });
  });

  test("the page has no inline script, no inline style and no foreign origin", async () => {
    const { text } = await ask(await testServer(), "/");
    expect(text).not.toMatch(/<script>|<script [^>]*>[^<]|<style|\sstyle=|\son\w+=|javascript:|https?:|\/\/\w/i);
  });

  test("every asset of the page is served and may be cached forever", async () => {
    const server = await testServer();
    const assets = await assetsOf(server);
    expect(assets.map((path) => path.replace(/\.[\da-f]{10}\./, ".")).toSorted()).toEqual([
      "/assets/console.css",
      "/assets/icon-error.svg",
      "/assets/icon.svg",
      "/assets/main.js",
      "/assets/theme.js",
    ]);
    for (const path of assets) {
      const { status, headers, text } = await ask(server, path);
      expect(status).toBe(200);
      expect(headers).toMatchObject({
        "cache-control": "public, max-age=31536000, immutable",
        "x-content-type-options": "nosniff",
        "cross-origin-resource-policy": "same-origin",
      });
      expect(headers["content-type"]).toMatch(/^(?:text\/css|text\/javascript|image\/svg\+xml)/);
      expect(text).not.toMatch(/@import|sourceMappingURL/);
    }
  });
});

test.each(["/assets/main.js", "/assets/..%2findex.html", "/assets/%2e%2e%2findex.html", "/assets/__proto__"])(
  "%s is not there",
  async (path) => {
    expect((await ask(await testServer(), path)).status).toBe(404);
  },
);

test("without a built console, the page says so and the API still works", async () => {
  const server = await testServer({ consoleDir: "/nowhere" });
  const { status, json } = await ask(server, "/");
  expect({ status, json }).toEqual({
    status: 404,
    json: { error: "Not found.", details: "The console is not built: npm run build." },
  });
  expect((await ask(server, "/healthz")).status).toBe(200);
});
