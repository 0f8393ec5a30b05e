import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { REPOSITORY } from "../support/command-line.ts";

const CONSOLE = join(REPOSITORY, "src/console");

test("no element has the class of a tab, because the styles of the element would apply to the whole tab", () => {
  const tabs = readdirSync(join(CONSOLE, "tabs"), { withFileTypes: true }).filter((entry) => entry.isDirectory());
  const names = new Set(tabs.map(({ name }) => name));
  const files = readdirSync(CONSOLE, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".tsx"));
  const classes = files.flatMap((file) =>
    [...readFileSync(join(CONSOLE, file), "utf8").matchAll(/\bclass="([^"]+)"/g)].flatMap(([, list = ""]) =>
      list.split(" ").map((name) => `${file} ${name}`),
    ),
  );
  expect(classes.length).toBeGreaterThan(50);
  expect(classes.filter((entry) => names.has(entry.slice(entry.indexOf(" ") + 1)))).toEqual([]);
});

test("text has one of four sizes", () => {
  const files = readdirSync(CONSOLE, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".css"));
  const styles = files.map((file) => readFileSync(join(CONSOLE, file), "utf8")).join("\n");
  const sizes = [...styles.matchAll(/\bfont(?:-size)?: ([\d.]+[a-z]+)/g)].map(([, size = ""]) => size);
  expect(new Set(sizes)).toEqual(new Set(["0.75rem", "0.8125rem", "0.875rem", "1.25rem"]));
});
