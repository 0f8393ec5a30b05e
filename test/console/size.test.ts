import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";

const ASSETS = join(import.meta.dirname, "../../dist/console/assets");
/**
 * All script, compressed: what a page may cost that is opened when something is wrong. Its identity checks, the marks of
 * processes in trouble and the words for drift took it over 60 KB.
 */
const LARGEST_SCRIPT = 64 * 1024;

const scripts = readdirSync(ASSETS).filter((name) => name.endsWith(".js"));
const texts = scripts.map((name) => readFileSync(join(ASSETS, name)));

test("all script of the console is small", () => {
  const bytes = texts.reduce((sum, text) => sum + gzipSync(text).length, 0);
  console.log(`console: ${(bytes / 1024).toFixed(1)} KB of script, gzipped`);
  expect(scripts).toHaveLength(2);
  expect(bytes).toBeLessThanOrEqual(LARGEST_SCRIPT);
});

test("no schema library is in it, and nothing that its policy forbids", () => {
  const all = texts.join("\n");
  expect(all).not.toMatch(/ZodError|zod/i);
  expect(all).not.toMatch(/\beval\(|new Function\(|insertAdjacentHTML|document\.write\(|\balert\(/);
});
