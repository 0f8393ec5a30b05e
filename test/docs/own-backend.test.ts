import { expect, test } from "vitest";
import { EXPRESS, runInstalled } from "./installed.ts";

test('the page "Your own backend" runs as printed in an Express project that installed the package', async () => {
  expect(await runInstalled(EXPRESS)).toEqual([]);
});
