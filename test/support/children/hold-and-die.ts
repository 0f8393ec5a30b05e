/**
 * Waits for a line, takes the lock of a file, and is killed while it holds it. Prints the mark of another holder if it
 * finds one.
 */
import { appendFileSync, closeSync, openSync, unlinkSync } from "node:fs";
import { once } from "node:events";
import { fileLocks } from "../../../src/core/files/lock.ts";

const [target = "", ending = "kill"] = process.argv.slice(2);
const mark = `${target}.holder`;
const locks = fileLocks({ timeoutMs: 60_000 });

console.log("ready");
await once(process.stdin, "data");
process.stdin.destroy();
await locks.withLock({ target, path: target }, async () => {
  closeSync(openSync(mark, "wx")); // fails where another one is inside
  appendFileSync(target, `${process.pid}\n`);
  unlinkSync(mark);
  console.log("held");
  if (ending === "kill") process.kill(process.pid, "SIGKILL");
  if (ending === "wait") await new Promise((resolve) => setTimeout(resolve, 2 ** 30));
});
