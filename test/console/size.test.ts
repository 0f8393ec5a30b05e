import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import type { Rule } from "../../src/core/deployments/rule.ts";
import { rules } from "../../src/core/deployments/rules/index.ts";

const ASSETS = join(import.meta.dirname, "../../dist/console/assets");
/** The size of all scripts, compressed. */
const LARGEST_SCRIPT = 88 * 1024;

const scripts = readdirSync(ASSETS).filter((name) => name.endsWith(".js"));
const texts = scripts.map((name) => readFileSync(join(ASSETS, name)));

test("the scripts of the console are small", () => {
  const bytes = texts.reduce((sum, text) => sum + gzipSync(text).length, 0);
  console.log(`console: ${(bytes / 1024).toFixed(1)} KB of script, gzipped`);
  expect(scripts).toHaveLength(2);
  expect(bytes).toBeLessThanOrEqual(LARGEST_SCRIPT);
});

test("they contain no text of svcm explain", () => {
  const all = texts.join("\n");
  const words = Object.values(rules).flatMap((list) =>
    list.flatMap((rule: Rule) => [rule.summary, ...(rule.explanation === undefined ? [] : [rule.explanation])]),
  );
  expect(words.filter((text) => all.includes(text))).toEqual([]);
});

test("they contain no schema library and nothing that the policy forbids", () => {
  const all = texts.join("\n");
  expect(all).not.toMatch(/ZodError|zod/i);
  expect(all).not.toMatch(/\beval\(|new Function\(|insertAdjacentHTML|document\.write\(|\balert\(/);
});
