/// <reference lib="dom" />
import { expect, test } from "vitest";
import { hasBrowser, useBrowser } from "../browser/support.ts";
import { handMonitoring } from "./hand-monitoring.ts";

const browser = useBrowser();

interface Label {
  readonly text: string;
  readonly left: number;
}

test.skipIf(!hasBrowser)("every label of a value axis is whole, the widest ones too", async () => {
  const { page, give, telemetry } = await handMonitoring(browser, {
    prepare: (first) =>
      first.addInitScript(() => {
        const labels: Label[] = [];
        Object.assign(window, { labels });
        const { prototype } = CanvasRenderingContext2D;
        const draw = Reflect.get(prototype, "fillText");
        prototype.fillText = function fillText(text, x, y) {
          if (this.textAlign === "right") labels.push({ text, left: x - this.measureText(text).width });
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
});
