/**
 * Takes the pictures of README and docs: real commands in a terminal, and the console over a workspace whose apps run
 * under a real PM2. The faults come first, one after another; two of them need root. The charts need five minutes on a
 * quiet machine, port 3200, and a folder that does not exist yet.
 *
 * node --import tsx scripts/pictures.ts [folder of the workspace] [folder for every tab in every look]
 */
import { join } from "node:path";
import { chromium } from "playwright-core";
import { chromiumArguments, findChromium } from "../test/support/chromium.ts";
import { photographConsole } from "./pictures/console.ts";
import { openShop } from "./pictures/shop.ts";
import { photographFaults } from "./pictures/faults.ts";
import { drawTerminal } from "./pictures/terminal.ts";

const [folder = "/srv/shop", everyLook] = process.argv.slice(2);
const pictures = join(import.meta.dirname, "../docs/pictures");
const program = await findChromium();
if (!program) throw new Error("There is no Chromium here.");
const browser = await chromium.launch({ ...program, args: chromiumArguments });
try {
  await drawTerminal(browser, join(pictures, "terminal.png"));
  await photographFaults(browser, pictures);
  await using shop = await openShop(folder);
  await photographConsole({ browser, url: shop.url, pictures, everyLook });
} finally {
  await browser.close();
}
