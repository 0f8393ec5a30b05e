/// <reference lib="dom" />
/** A real bad night: what the page says is what the API says. */
import { afterAll, beforeAll, expect } from "vitest";
import { hasBrowser, useBrowser } from "../browser/support.ts";
import { ask } from "../server/support.ts";
import { runNight } from "../support/bad-night.ts";
import { pm2 } from "../support/pm2-daemon.ts";
import { longTest } from "../support/runs.ts";
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
