/// <reference lib="dom" />
import { utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach } from "vitest";
import { useBrowser } from "../browser/support.ts";
import { IDLE, pm2 } from "../support/pm2-daemon.ts";
import { earlyServerOver } from "./monitoring-page.ts";
import { openConsole, type ConsoleOptions } from "./open-console.ts";

export const CANARY = "canary-77ac";
export const cluster = { exec_mode: "cluster", instances: 2 };

/** The app is ready when the file in HELD exists, or immediately. With FAILS it exits. */
const APP = `
const { existsSync } = require("node:fs");
const { HELD, FAILS } = process.env;
if (FAILS) process.exit(3);
const look = () => (HELD && !existsSync(HELD) ? setTimeout(look, 10) : process.send("ready"));
look();
${IDLE}`;

export const flat = (text: string | null): string => (text ?? "").replaceAll(/\s+/g, " ").trim();

/** For a file of tests. Each test begins with the apps `api`, `web` and `old-worker`. */
export function planPage() {
  const browser = useBrowser();
  const real = pm2();
  let gate = "";
  let rounds = 0;

  const app = (name: string, env: object = {}, more: object = {}) => ({
    name,
    script: join(real.folder, "app.cjs"),
    cwd: real.folder,
    wait_ready: true,
    listen_timeout: 60_000,
    env: { MODE: "1", API_TOKEN: CANARY, ...env },
    ...more,
  });
  beforeAll(async () => {
    await real.startDaemon();
    writeFileSync(join(real.folder, "app.cjs"), APP);
    utimesSync(join(real.folder, "app.cjs"), 1e9, 1e9);
  });
  afterAll(() => real.end());
  beforeEach(async () => {
    await real.beginWith([app("api"), app("web", {}, cluster), app("old-worker")]);
    gate = join(real.folder, `gate-${(rounds += 1)}`);
  });

  async function openPlan(apps: readonly object[], options: ConsoleOptions = {}, serve = earlyServerOver) {
    real.pm2Folder(apps);
    const server = await serve(real, { env: { NODE_ENV: "dev" } });
    const open = await openConsole(browser, server.url, { tab: "plan", ...options });
    const { page } = open;
    const card = page.getByRole("region", { name: /^Plan |^Everything runs|^No step/ });
    await card.waitFor();
    const planned = page.getByRole("list", { name: "Steps of the plan" });
    const done = page.getByRole("list", { name: "Steps of the release" }).first();
    const confirm = page.getByRole("dialog");
    return { ...open, server, card, planned, done, confirm, apply: page.getByRole("button", { name: /^Apply plan/ }) };
  }
  return { real, app, openPlan, gate: () => gate };
}
