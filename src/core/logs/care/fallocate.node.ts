import { spawn } from "node:child_process";
import { hasErrorCode } from "../../files/system.ts";

/** Returns what prevented it. */
export function runFallocate(fd: number, bytes: number): Promise<string | undefined> {
  const args = ["--collapse-range", "--offset", "0", "--length", String(bytes), "/proc/self/fd/3"];
  const child = spawn("fallocate", args, {
    stdio: ["ignore", "ignore", "pipe", fd],
    env: { PATH: process.env["PATH"] ?? "", LC_ALL: "C" },
  });
  let message = "";
  child.stderr?.on("data", (text: Buffer) => (message = (message + text.toString()).slice(0, 300)));
  return new Promise((resolve) => {
    child.once("error", (error) =>
      resolve(hasErrorCode(error, "ENOENT") ? "the program fallocate of util-linux is not installed" : error.message),
    );
    child.once("close", (code) => resolve(code === 0 ? undefined : (message.split(": ").at(-1)?.trim() ?? "")));
  });
}
