/** The present release crash-loops, and a good one is deployed over it. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { shopUnderPm2 } from "./deployed-shop.ts";
import { longTest } from "../support/runs.ts";

const shop = shopUnderPm2();

function ecosystem(mode: "cluster" | "fork"): string {
  const web = { name: "web", script: "./app.cjs", exec_mode: mode, instances: mode === "cluster" ? 2 : 1, pmx: false };
  const worker = { name: "worker", script: "./worker.cjs", exec_mode: mode, pmx: false };
  const apps = [
    worker,
    { ...web, env: { PORT: String(shop.port()) } },
    { ...worker, name: "calm", script: "./calm.cjs" },
  ];
  return `module.exports = { apps: ${JSON.stringify(apps)} };`;
}

async function hotfix(mode: "cluster" | "fork", number: number): Promise<string> {
  const calm = "setInterval(() => {}, 1000);";
  const good = readFileSync(join(shop.checkout, "app.cjs"), "utf8");
  const broken = join(shop.own.folder, `broken-${mode}`);
  // It passes the gate, and crashes later, at each start.
  const late = `setInterval(() => { if (require("fs").existsSync(${JSON.stringify(broken)})) throw new Error("late") }, 500);`;
  const files = { "ecosystem.config.cjs": ecosystem(mode), "calm.cjs": calm };
  shop.publish({ ...files, "app.cjs": `${good}\n${late}`, "worker.cjs": `${calm}${late}`, VERSION: `${number}` });
  await shop.deploy();
  writeFileSync(broken, "");
  // Until PM2 has started each of them again: now the release crash-loops.
  for (let restarts = 0; restarts < 4;) {
    const list = await shop.ports.processes.list();
    restarts = Math.min(...list.filter(({ name }) => name !== "calm").map(({ restartCount }) => restartCount));
    await shop.ports.clock.sleep(100);
  }
  shop.publish({ "app.cjs": good, "worker.cjs": calm, VERSION: `${number} fixed` });
  const { deploy } = await shop.deploy();
  expect(deploy).toMatchObject({ state: "done", current: true });
  const folder = join(shop.root, "releases", deploy.id);
  const list = await shop.ports.processes.list();
  expect(list.map(({ cwd, status }) => [cwd, status])).toEqual(list.map(() => [folder, "online"]));
  expect(await shop.ports.processes.unlistedPids()).toEqual([]);
  return await shop.answer();
}

longTest("a good release gets in beside a healthy neighbour, with a connection for each process", async () => {
  expect(await hotfix("cluster", 10)).toBe("10 fixed");
});
longTest("so it does with processes of their own", async () => {
  expect(await hotfix("fork", 20)).toBe("20 fixed");
});
