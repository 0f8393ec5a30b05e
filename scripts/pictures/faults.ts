import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { answerIn, faults, untilNamed, type Fault } from "../../test/support/faults.ts";
import { pm2 } from "../../test/support/pm2-daemon.ts";
import { serve } from "./shop.ts";

const documentation = readFileSync(join(import.meta.dirname, "../../docs/how-to/on-call.md"), "utf8");
const VIEWPORT = { width: 960, height: 720 };

export async function photographFaults(browser: Browser, pictures: string): Promise<void> {
  for (const fault of faults) await photograph(fault, browser, pictures);
}

async function photograph({ title, picture, cause, needs }: Fault, browser: Browser, pictures: string): Promise<void> {
  const own = pm2();
  const undo: (() => unknown)[] = [() => own.end()];
  try {
    mkdirSync(join(own.folder, "apps/backend-template/src/config"), { recursive: true });
    await own.startDaemon({ PM2_WORKER_INTERVAL: "2000" });
    const { server, url } = await serve(own, own.folder, "--port", "0");
    undo.push(() => server.kill());
    const page = await browser.newPage({ viewport: VIEWPORT, colorScheme: "dark" });
    undo.push(() => page.close());
    await page.goto(url);
    if ((await cause({ own, url, secret: "canary", onEnd: (one) => undo.push(one) })) === false)
      throw new Error(`${title} needs ${needs}.`);
    await untilNamed(own, answerIn(documentation, title));
    await page.locator("button.process-name[title=api]").click();
    const card = page.getByRole("region", { name: /^Why of api/ });
    await card.locator(".why-end").waitFor();
    await card.evaluate((shown) => shown.scrollIntoView({ block: "center" }));
    await page.screenshot({ path: join(pictures, `${picture}.png`) });
  } finally {
    for (const one of undo.toReversed()) await one();
  }
}
