/// <reference lib="dom" />
/** The accessibility tree: roles, names and states of every view. */
import { writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { tabIds, type TabId } from "../../src/console/state/address.ts";
import { hasBrowser, useBrowser } from "../browser/support.ts";
import { repository } from "../server/support.ts";
import { handMonitoring } from "./hand-monitoring.ts";
import { a, lambda, suiteOf } from "./stored-targets.ts";

const browser = useBrowser();

/** The text that is loaded last in each view. */
const words: Readonly<Record<TabId, string>> = {
  monitoring: "mailer",
  environment: "The file follows the runtime contract.",
  activity: "Nothing has happened in the last 7 days",
  logs: "Choose an app",
  plan: "No ecosystem file",
  pm2: "No ecosystem for dev.",
  service: "deployments.yaml has 1 issue.",
  targets: "deployments.yaml has 1 issue.",
  interfaces: "deployments.yaml has 1 issue.",
  transfer: "deployments.yaml has 1 issue.",
  nodes: "svcm.yaml declares no nodes",
};

describe.skipIf(!hasBrowser)("the accessibility tree", () => {
  test("of every view", async () => {
    const files = repository();
    writeFileSync(join(files.root, "deployments.yaml"), JSON.stringify(suiteOf(a, { ...lambda, runtime: "latest" })));
    const { page, give, telemetry, url } = await handMonitoring(browser, { server: { repository: files } });
    await telemetry.watchers(1);
    give([{ name: "shop" }, { name: "gone", status: "errored", pid: null }], { missingExpected: ["mailer"] });
    await page.locator(".process-name").first().waitFor();
    // The navigation counts when the document has arrived.
    await page.getByRole("link", { name: "Deploy targets 1 error" }).waitFor();
    // The text depends on the machine.
    const known = [
      [files.root, "ROOT"],
      [new URL(url).host, "ADDRESS"],
      [hostname(), "HOST"],
      [Intl.DateTimeFormat().resolvedOptions().timeZone, "ZONE"],
    ] as const;
    const trees: string[] = [];
    for (const id of tabIds) {
      await page.evaluate((next) => void (location.hash = `#/${next}`), id);
      await page.locator(`#panel.${id} h1`).waitFor();
      await page.locator("#panel").getByText(words[id]).first().waitFor();
      const shown = await page.locator(id === "monitoring" ? "body" : "#panel").ariaSnapshot();
      const tree = shown.replace(/ · up [^·]+ ·/, " · up TIME ·").replace(/since \d{4}-[\d-]+ [\d:]+/, "since TIME");
      trees.push(`# ${id}\n${known.reduce((text, [from, to]) => text.replaceAll(from, to), tree)}`);
    }
    await expect(`${trees.join("\n\n")}\n`).toMatchFileSnapshot("snapshots/tree.yaml");
  });
});
