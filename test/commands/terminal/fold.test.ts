import { expect, test } from "vitest";
import { fold } from "../../../src/commands/terminal/fold.ts";

test("a line that is wider than the window goes on behind its own indent", async () => {
  const text = "head\n      PM2 apps touched: *restapi, *grpcapi in ecosystem.production.config.cjs\n";
  expect(await fold(text, { width: 40, colours: 0 })).toBe(
    [
      "head",
      "      PM2 apps touched: *restapi,",
      "      *grpcapi in",
      "      ecosystem.production.config.cjs",
      "",
    ].join("\n"),
  );
});

test("a word that is wider than the window is broken, and colours go on", async () => {
  const folded = await fold(`  \u001B[31m${"x".repeat(50)}\u001B[39m`, { width: 22, colours: 1 });
  expect(folded).toBe(
    ["x".repeat(20), "x".repeat(20), "x".repeat(10)].map((part) => `  \u001B[31m${part}\u001B[39m`).join("\n"),
  );
});

test("without a window nothing is folded", async () => {
  const text = "x".repeat(500);
  expect(await fold(text, { colours: 0 })).toBe(text);
});
