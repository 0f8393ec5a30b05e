import type { Machine } from "../../ports/machine.ts";
import { openLinux } from "./linux.ts";

const MICROSECONDS = 1_000_000;

/** Opens no file and loads no library before the first measurement. */
export function nodeMachine(options: { readonly diskPaths: readonly string[] }): Machine {
  const { platform } = process;
  return {
    platform,
    own() {
      const { user, system } = process.cpuUsage();
      return { cpuSeconds: (user + system) / MICROSECONDS, rssBytes: process.memoryUsage.rss() };
    },
    async open() {
      if (platform === "linux") return openLinux(options.diskPaths);
      const { openPortable } = await import("./portable.ts");
      return openPortable(options.diskPaths, platform);
    },
  };
}
