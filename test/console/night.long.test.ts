/// <reference lib="dom" />
/** A real bad night: what the page says is what the API says. */
import { afterAll, beforeAll, expect } from "vitest";
import { hasBrowser, useBrowser } from "../browser/support.ts";
import { ask, repository } from "../server/support.ts";
import { runNight } from "../support/bad-night.ts";
import { pm2 } from "../support/pm2-daemon.ts";
import { longTest } from "../support/runs.ts";
import { readMemory, untrueSentences } from "./truth.ts";
import { serverOver } from "./monitoring-page.ts";
import { openConsole } from "./open-console.ts";

const browser = useBrowser();
const real = pm2();

beforeAll(async () => {
  await real.startDaemon();
  await runNight(real);
});
afterAll(() => real.end());

longTest.skipIf(!hasBrowser)("the attention, the count and the alerts name the same apps", async () => {
  const server = await serverOver(real);
  const { page } = await openConsole(browser, server.url);
  const inbox = page.getByRole("region", { name: "Attention" });
  const card = (name: string) => inbox.getByRole("listitem").filter({ hasText: name });
  await card("feed-importer").getByText("errored").waitFor();
  await card("feed-importer").getByText("connect ECONNREFUSED 10.0.0.7:5672").waitFor();
  await card("consumer").getByText("crash loop").waitFor();
  await card("9 declared apps do not run").waitFor();
  await expect.poll(() => card("chatty").count()).toBe(0);
  const { json } = await ask(server, "/api/runtime/pm2-metrics?environment=dev");
  const troubled = json.processes.filter(({ problem }: { problem: unknown }) => problem !== null);
  const known = new Set(json.processes.map(({ name }: { name: string }) => name));
  const missing = json.ecosystem.missingExpected.filter((name: string) => !known.has(name));
  await expect.poll(() => page.title()).toContain(`(${troubled.length + missing.length})`);
});

/** `SVCM_NIGHT_MINUTES=30` watches for half an hour. */
const NIGHT_MS = Number(process.env["SVCM_NIGHT_MINUTES"] ?? 2) * 60_000;

longTest.skipIf(!hasBrowser)(
  "no sentence of the page is untrue, and no log stands still without a word, also after the server returns",
  async () => {
    const files = repository();
    const first = await serverOver(real, { repository: files });
    const { page } = await openConsole(browser, first.url, { mayFail: true });
    const logs = await page.context().newPage();
    await logs.goto(`${first.url}/#/logs?apps=chatty`);
    await page.getByRole("region", { name: "Attention" }).getByText("feed-importer").first().waitFor();
    await logs.getByRole("log", { name: "Log of chatty" }).locator(".log-line").first().waitFor();
    const end = Date.now() + NIGHT_MS;
    const untrue = await untrueSentences({ page, logs, server: first, until: end - NIGHT_MS / 2 });
    console.log(`night: ${untrue.compared} sentences before the server ends`);
    await first.close();
    const second = await serverOver(real, { repository: files, port: first.port });
    await page.locator(".old").waitFor({ state: "detached" });
    // While PM2 is silent, the page has no cards.
    await page.getByRole("region", { name: "Attention" }).getByText("feed-importer").first().waitFor();
    const middle = await readMemory(page);
    const later = await untrueSentences({ page, logs, server: second, until: end });
    const [last, ofLogs] = [await readMemory(page), await readMemory(logs)];
    console.log(`night: ${untrue.compared + later.compared} sentences, ${JSON.stringify({ middle, last, ofLogs })}`);
    expect([...untrue.found, ...later.found]).toEqual([]);
    expect(last.megabytes - middle.megabytes).toBeLessThan(5);
    expect(last.nodes).toBeLessThan(middle.nodes * 1.5);
    // The log keeps 100,000 lines.
    expect(ofLogs.megabytes).toBeLessThan(100);
    expect(untrue.compared + later.compared).toBeGreaterThan(20);
  },
  // A busy machine takes minutes to begin and to end it.
  NIGHT_MS + 600_000,
);
