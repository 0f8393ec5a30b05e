import { expect, test } from "vitest";
import { fold } from "../../../src/commands/terminal/table.ts";
import { paint } from "../../../src/commands/terminal/screen.ts";

test("a line that is wider than the window continues at its own indent", () => {
  const text = "head\n      PM2 apps touched: *restapi, *grpcapi in ecosystem.production.config.cjs\n";
  expect(fold(text, { width: 40, colours: 0 })).toBe(
    [
      "head",
      "      PM2 apps touched: *restapi,",
      "      *grpcapi in",
      "      ecosystem.production.config.cjs",
      "",
    ].join("\n"),
  );
});

test("a word is never broken, so that it can be copied, and colours take no width", () => {
  const long = "x".repeat(50);
  expect(fold(`  ${long} y`, { width: 22, colours: 1 })).toBe(`  ${long}\n  y`);
  const painted = `${paint.red("one")} ${paint.green("two")} three`;
  expect(fold(painted, { width: 20, colours: 1 })).toBe(painted);
});

test("without a window, no line is folded", () => {
  const text = "x ".repeat(500);
  expect(fold(text, { colours: 0 })).toBe(text);
});
