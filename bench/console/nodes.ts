/** The server's responses are generated; every value changes each time. */
import type { Browser } from "playwright-core";
import type { NodesResponse } from "../../src/core/api/node.ts";
import { longestTask } from "./work.ts";
import type { World } from "./world.ts";

type Node = NodesResponse["nodes"][number];

/** One every two seconds. */
const REFRESHES = 4;

/** In milliseconds. */
export async function measureRefresh(browser: Browser, { url }: World, count: number): Promise<number> {
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  let requests = 0;
  await page.route("**/api/runtime/contract", async (route) => {
    const response = await route.fetch();
    const nodes = nodesAt(0, count).map(({ name }) => name);
    await route.fulfill({ response, json: { ...((await response.json()) as object), nodes } });
  });
  await page.route("**/api/fleet/nodes", (route) =>
    route.fulfill({ json: { nodes: nodesAt((requests += 1), count) } }),
  );
  await page.goto(`${url}/#/nodes`);
  await page.locator(".node-name").first().waitFor();
  const longest = await longestTask(browser, page, async () => {
    for (let refresh = 0; refresh < REFRESHES; refresh += 1) await page.waitForResponse("**/api/fleet/nodes");
  });
  await page.close();
  return longest;
}

function nodesAt(time: number, count: number): Node[] {
  return Array.from({ length: count }, (_, at): Node => {
    const name = `node-${String(at).padStart(3, "0")}`;
    const node = { name, labels: { role: at % 2 === 0 ? "db" : "web" }, lastSeen: new Date().toISOString() };
    if (at % 29 === 0) return { ...node, state: "away", reason: "No svcm answers on that node." };
    const isBad = (at + time) % 17 === 0;
    const trouble = { app: "api", code: "PROCESS_CRASH_LOOP", details: "It ended by itself 26 times." } as const;
    return {
      ...node,
      state: "online",
      environment: "production",
      services: ["shop"],
      processes: { total: 12, online: 11, stopped: 1, errored: 0, troubled: 0, restarts: at + time },
      troubles: isBad ? [trouble] : [],
      host: { cpuPercent: (at * 7 + time * 3) % 100, memoryPercent: (at + time) % 100 },
    };
  });
}
