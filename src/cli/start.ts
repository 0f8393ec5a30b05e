import { readFileSync } from "node:fs";
import { dirname } from "node:path";
import { bundledPlugin, type BundledPlugin } from "./bundled-plugin.ts";
import type { LoadChunk } from "./chunk-loader.ts";
import { main } from "./main.ts";

export interface StartOptions {
  readonly argv: string[];
  readonly dist: string;
  readonly load: LoadChunk;
}

export const PLUGINS_FILE = "plugins.json";

/** Searches nothing, because every plugin and command is known. */
export async function start({ argv, dist, load }: StartOptions): Promise<void> {
  const root = dirname(dist);
  await main(argv, async () => {
    const plugins = JSON.parse(readFileSync(`${dist}/${PLUGINS_FILE}`, "utf8")) as BundledPlugin[];
    return plugins.map((plugin, index) => bundledPlugin(plugin, { root, isRoot: index === 0, load }));
  });
}
