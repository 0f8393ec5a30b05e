/** A child holds the lock of a file. Prints the state of the lock while it is held and after the child is killed. */
import { FileError } from "../../../src/core/files/ports.ts";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileLocks } from "../../../src/core/files/lock.ts";

const [script = "", target = ""] = process.argv.slice(2);
const child = spawn(process.execPath, [script, target, "wait"], {
  stdio: ["pipe", "pipe", "inherit"],
});
child.stdin.write("go\n");
for await (const line of createInterface({ input: child.stdout })) {
  if (line === "held") break;
}
await tryToHold();
child.kill("SIGKILL");
await once(child, "exit");
await tryToHold();

async function tryToHold(): Promise<void> {
  try {
    await fileLocks({ timeoutMs: 0 }).withLock({ target, path: target }, async () => console.log("held"));
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    console.log(error.code);
  }
}
