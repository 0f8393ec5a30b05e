/// <reference lib="dom" />
/** The environment page after a save, with a real PM2 whose apps read the env file. */
import { readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll } from "vitest";
import { useBrowser } from "../browser/support.ts";
import { repository, type Repository } from "../server/support.ts";
import { IDLE, pm2 } from "../support/pm2-daemon.ts";
import { serverOver } from "./monitoring-page.ts";
import { openConsole } from "./open-console.ts";

/** The app records its environment at the start, or exits if a file requests it. */
const APP = `
const { existsSync, writeFileSync } = require("node:fs");
const { name, SVC_HTTP_FRAMEWORK } = process.env;
if (existsSync(__dirname + "/fails-" + name)) process.exit(3);
writeFileSync(__dirname + "/seen-" + name + ".log", String(SVC_HTTP_FRAMEWORK));
${IDLE}`;

export function savedPages() {
  const browser = useBrowser();
  const real = pm2();

  const seen = (name: string): string => readFileSync(join(real.folder, `seen-${name}.log`), "utf8");

  beforeAll(async () => {
    await real.startDaemon();
    writeFileSync(join(real.folder, "app.cjs"), APP);
    utimesSync(join(real.folder, "app.cjs"), 1e9, 1e9);
  });
  afterAll(() => real.end());

  async function savedPage(files: Repository = repository()) {
    utimesSync(files.envFile("dev"), 1e9, 1e9);
    rmSync(join(real.folder, "fails-jobs"), { force: true });
    const plain = { script: join(real.folder, "app.cjs"), cwd: real.folder };
    const reading = { ...plain, node_args: [`--env-file=${files.envFile("dev")}`] };
    const apps = [
      { name: "api", ...reading },
      { name: "jobs", ...reading },
      { name: "web", ...reading },
      { name: "other", ...plain },
    ];
    await real.beginWith(apps);
    const server = await serverOver(real, { repository: files, env: { NODE_ENV: "dev" } });
    const open = await openConsole(browser, server.url, { tab: "environment" });
    await open.field("HTTP framework").selectOption("fastify");
    await open.button("Save").click();
    const stale = open.page.getByRole("group", { name: "Still running with the old values" });
    await stale.waitFor();
    return { ...open, server, stale };
  }
  return { real, seen, savedPage };
}
