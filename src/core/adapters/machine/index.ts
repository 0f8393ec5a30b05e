import type { Machine } from "../../telemetry/ports.ts";
import { openLinux } from "./linux.ts";

/** This machine. Nothing is opened, and no library loaded, before somebody measures. */
export function nodeMachine(options: { readonly diskPaths: readonly string[] }): Machine {
  const { platform } = process;
  return {
    platform,
    async open() {
      if (platform === "linux") return openLinux(options.diskPaths);
      const { openPortable } = await import("./portable.ts");
      return openPortable(options.diskPaths, platform);
    },
  };
}
