/** A server with one change twenty minutes ago, in an hour of a crash loop. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { post, repository, testServer, type TestServer } from "../server/support.ts";
import { pm2Line, writeNightLog } from "../support/bad-night.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const NOW = Math.floor(Date.now() / 1000) * 1000;
export const CHANGED = NOW - 20 * 60_000;

/** A time zone where it is noon, because a row of Activity does not go on past midnight. */
export function zoneAtNoon(): string {
  const ahead = 12 - new Date(NOW).getUTCHours();
  return `Etc/GMT${ahead < 0 ? "+" : "-"}${Math.abs(ahead)}`;
}

export async function nightServer(): Promise<TestServer> {
  const home = temporaryFolder();
  writeNightLog(home, { now: NOW, changedMs: CHANGED });
  const log = join(home, "pm2.log");
  const old = pm2Line(NOW - 10 * 86_400_000, "App [last-week:7] exited with code [1] via signal [SIGINT]");
  writeFileSync(log, old + readFileSync(log, "utf8"));
  const files = repository();
  const server = await testServer({ env: { PM2_HOME: home }, repository: files });
  await post(server, { values: { SVC_HTTP_FRAMEWORK: "fastify" } });
  const text = readFileSync(files.auditFile, "utf8");
  const changed = new Date(CHANGED).toISOString();
  writeFileSync(files.auditFile, text.replaceAll(/"timestamp":"[^"]+"/g, `"timestamp":"${changed}"`));
  return server;
}
