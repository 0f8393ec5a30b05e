import type { YamlSource } from "./source.ts";
import { scanYaml } from "./scan/scan.ts";

/** Loads the full parser only if the fast scan declines the text. */
export async function readYaml(text: string, file: string): Promise<YamlSource> {
  return scanYaml(text, file) ?? (await import("./parse.ts")).parseYaml(text, file);
}
