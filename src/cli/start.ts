import { readFileSync } from "node:fs";
import { dirname } from "node:path";
import { once } from "../core/words/once.ts";
import { bundledPlugin, type BundledPlugin, type DetailsOf } from "./bundled-plugin.ts";
import type { LoadChunk } from "./chunk-loader.ts";
import { main } from "./main.ts";

export interface StartOptions {
  readonly argv: string[];
  readonly dist: string;
  readonly load: LoadChunk;
}

export const PLUGINS_FILE = "plugins.json";
/** By command. */
export const DETAILS_FILE = "details.json";

/** Searches nothing, because every plugin and command is known. */
export async function start({ argv, dist, load }: StartOptions): Promise<void> {
  const root = dirname(dist);
  const read = (file: string): unknown => JSON.parse(readFileSync(`${dist}/${file}`, "utf8"));
  await main(argv, async () => {
    const details = once(() => read(DETAILS_FILE) as DetailsOf);
    const plugins = read(PLUGINS_FILE) as BundledPlugin[];
    return plugins.map((plugin, index) => bundledPlugin(plugin, { root, isRoot: index === 0, load, details }));
  });
}
