import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { generatedFiles, generatedSources } from "../../scripts/generated.ts";

test.each(Object.entries({ ...generatedSources, ...generatedFiles }))(
  "%s is current (npm run generate)",
  async (file, render) => {
    expect(readFileSync(new URL(`../../${file}`, import.meta.url), "utf8")).toBe(await render());
  },
);
