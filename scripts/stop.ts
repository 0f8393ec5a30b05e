/** Also removes the files of `npm start`. */
import { endPm2, hasDaemon, processes } from "./backend/pm2.ts";

const running = (await hasDaemon()) ? onlineNames() : undefined;
await endPm2();
console.log(stoppedText());

/** A daemon that does not respond is stopped, too. */
function onlineNames(): string[] {
  try {
    return processes()
      .filter(({ pm2_env }) => pm2_env.status === "online")
      .map(({ name }) => name);
  } catch {
    return [];
  }
}

function stoppedText(): string {
  if (!running) return "The reference backend was not running.";
  if (running.length === 0) return "Stopped PM2; no process of the reference backend was running.";
  return `Stopped ${running.join(", ")}, and the PM2 that ran them.`;
}
