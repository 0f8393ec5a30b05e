import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { REPOSITORY } from "../support/command-line.ts";

const page = readFileSync(join(REPOSITORY, "docs/explanation/architecture.md"), "utf8");
const named = new Set([...page.matchAll(/\bsrc\/[\w./-]*[\w]/g)].map(([path]) => path));

test.each([...named])("every file that the architecture page names exists: %s", (path) => {
  expect(existsSync(join(REPOSITORY, path))).toBe(true);
});

test.each(["src", "src/core"])("the architecture page names every folder of %s", (folder) => {
  const folders = readdirSync(join(REPOSITORY, folder), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && entry.name !== "core")
    .map(({ name }) => `${folder}/${name}`);
  expect(folders.filter((each) => !named.has(each))).toEqual([]);
});
