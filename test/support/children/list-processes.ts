/** Lists PM2's processes in PM2_HOME, then tries to start: prints one line with the result of each. */
import { pm2Processes } from "../../../src/core/pm2/daemon/index.ts";

const link = pm2Processes({ env: process.env, cwd: "/" });

async function say(work: () => Promise<unknown>): Promise<void> {
  try {
    console.log(JSON.stringify(await work()));
  } catch (error) {
    console.log((error as { body?: { code?: string } }).body?.code ?? String(error));
  }
}

await say(async () => (await link.list()).map(({ name }) => name));
await say(() => link.withLock("start", () => Promise.resolve("held")));
console.log("idle");
