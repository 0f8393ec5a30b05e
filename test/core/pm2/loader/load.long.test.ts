/** Ten thousand loads leave no descriptor, no child process and no memory in the server. */
import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { serve } from "../../../support/svcm.ts";
import { makeWorkspace } from "../../../support/workspace.ts";

/** Without a fixed limit, V8 enlarges its young generation in steps that depend on the speed of the machine. */
const NODE_OPTIONS = "--max-semi-space-size=1";
const WARM_UP = 4000;
const READS = 6000;

test("ten thousand loads of valid and invalid ecosystem files leave no process and no open file behind", async () => {
  const workspace = makeWorkspace();
  workspace.write("pm2/ecosystem.dev.config.cjs", 'module.exports = { apps: [{ name: "a", script: "a.js" }] };');
  workspace.write("pm2/ecosystem.staging.config.cjs", "throw new Error();");
  const server = await serve({ root: workspace.root, env: { NODE_OPTIONS } });
  const rss = (): number => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${server.pid}/status`, "utf8"))?.[1]);
  const descriptors = (): number => readdirSync(`/proc/${server.pid}/fd`).length;
  const read = async (times: number): Promise<void> => {
    for (let count = 0; count < times; count++) {
      const environment = count % 2 === 0 ? "dev" : "staging";
      const response = await fetch(`${server.url}/api/runtime/pm2-ecosystem?environment=${environment}`);
      await response.text();
      expect(response.status).toBe(count % 2 === 0 ? 200 : 500);
    }
  };
  await read(WARM_UP);
  const before = { descriptors: descriptors(), rss: rss() };
  await read(READS);
  expect(readFileSync(`/proc/${server.pid}/task/${server.pid}/children`, "utf8")).toBe("");
  expect(descriptors()).toBeLessThanOrEqual(before.descriptors + 2);
  expect(rss()).toBeLessThan(before.rss + 20_000);
});
