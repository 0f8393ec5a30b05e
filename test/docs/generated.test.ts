import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { generated } from "../../scripts/generated.ts";

test.each(Object.entries(generated))("%s is current (npm run generate)", (file, render) => {
  expect(readFileSync(new URL(`../../${file}`, import.meta.url), "utf8")).toBe(render());
});
