/// <reference lib="dom" />
import { expect, test } from "vitest";
import { hasBrowser, useBrowser } from "../browser/support.ts";
import { handMonitoring } from "./hand-monitoring.ts";

const browser = useBrowser();

interface Label {
  readonly text: string;
  readonly left: number;
}

interface TimeLabel extends Label {
  readonly past: number;
}

test.skipIf(!hasBrowser)("every axis label is complete, and no time label crosses the edge of its plot", async () => {
  const { page, give, telemetry } = await handMonitoring(browser, {
    prepare: (first) =>
      first.addInitScript(() => {
        const [labels, times]: [Label[], TimeLabel[]] = [[], []];
        Object.assign(window, { labels, times });
        const plotOf = ({ canvas }: CanvasRenderingContext2D): number => canvas.getBoundingClientRect().width - 14;
        const { prototype } = CanvasRenderingContext2D;
        const draw = Reflect.get(prototype, "fillText");
        prototype.fillText = function fillText(text, x, y) {
          const { width } = this.measureText(text);
          if (this.textAlign === "right") labels.push({ text, left: x - width });
          if (this.textAlign === "center")
            times.push({ text, left: x - width / 2, past: x + width / 2 - plotOf(this) });
          draw.call(this, text, x, y);
        };
      }),
  });
  await telemetry.watchers(1);
  give([{ name: "api", memoryBytes: 999 * 2 ** 20, cpuPercent: 3_200 }]);
  await page.getByRole("button", { name: "api" }).first().click();
  await page.getByRole("application", { name: "Memory of api" }).waitFor();
  const labels = () => page.evaluate(() => (window as unknown as { labels: Label[] }).labels);
  await expect.poll(async () => (await labels()).map(({ text }) => text)).toContain("512 MB");
  const drawn = await labels();
  expect(drawn.map(({ text }) => text)).toEqual(expect.arrayContaining(["100%", "2000%"]));
  expect(drawn.filter(({ left }) => left < 0)).toEqual([]);
  const times = await page.evaluate(() => (window as unknown as { times: TimeLabel[] }).times);
  expect(times.length).toBeGreaterThan(5);
  // Smaller differences are rounding errors.
  expect(times.filter(({ past }) => past > 0.01)).toEqual([]);
});
