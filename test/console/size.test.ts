import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { catalog } from "../../src/core/setup/codes/catalog.ts";

const ASSETS = join(import.meta.dirname, "../../dist/console/assets");
/** Compressed as the server sends them: the scripts before the first view, and all of them. */
const LARGEST = { first: 70 * 1024, all: 100 * 1024 };

const scripts = readdirSync(ASSETS).filter((name) => name.endsWith(".js"));
const texts = scripts.map((name) => readFileSync(join(ASSETS, name)));

/** The scripts of the page, and those that they import before they run. */
function firstScripts(): string[] {
  const page = readFileSync(join(ASSETS, "../index.html"), "utf8");
  const found = new Set([...page.matchAll(/assets\/([\w.-]+\.js)/g)].map(([, name = ""]) => name));
  for (const name of found) {
    const text = readFileSync(join(ASSETS, name), "utf8");
    for (const [, other = ""] of text.matchAll(/(?:from|import)\s*"\.\/([\w.-]+\.js)"/g)) found.add(other);
  }
  return [...found];
}

function compressedSize(list: readonly (string | Buffer)[]): number {
  return list.reduce((sum, text) => sum + gzipSync(text, { level: 9 }).length, 0);
}

test("the scripts of the console are small, above all those before the first view", () => {
  const first = firstScripts();
  const bytes = {
    first: compressedSize(first.map((name) => readFileSync(join(ASSETS, name)))),
    all: compressedSize(texts),
  };
  console.log(
    `console: ${Object.values(bytes)
      .map((size) => (size / 1024).toFixed(1))
      .join(" of ")} KB of script, gzipped`,
  );
  expect(first.length).toBeGreaterThan(1);
  expect(bytes.first).toBeLessThanOrEqual(LARGEST.first);
  expect(bytes.all).toBeLessThanOrEqual(LARGEST.all);
});

test("README promises these limits", () => {
  const readme = readFileSync(join(import.meta.dirname, "../../README.md"), "utf8").replaceAll(/\s+/g, " ");
  const [first, all] = [LARGEST.first, LARGEST.all].map((bytes) => `${bytes / 1024} KB`);
  expect(readme).toContain(`at most ${first} of script before the first view, ${all} in all`);
});

test("they contain no text of svcm explain", () => {
  const all = texts.join("\n");
  const words = Object.values(catalog["Deployments document"] ?? {}).flatMap(({ summary, explanation }) => [
    summary,
    ...(explanation === undefined ? [] : [explanation]),
  ]);
  expect(words.length).toBeGreaterThan(10);
  expect(words.filter((text) => all.includes(text))).toEqual([]);
});

test("they contain no schema library and nothing that the policy forbids", () => {
  const all = texts.join("\n");
  expect(all).not.toMatch(/ZodError|zod/i);
  expect(all).not.toMatch(/\beval\(|new Function\(|insertAdjacentHTML|document\.write\(|\balert\(/);
});
