import type { YamlSource } from "./source.ts";
import { scanYaml } from "./scan/scan.ts";

/**
 * Reads a YAML (or JSON) text: the front door of this folder. The parser of the whole language is
 * loaded only for a text that needs it.
 */
export async function readYaml(text: string, file: string): Promise<YamlSource> {
  return scanYaml(text, file) ?? (await import("./parse.ts")).parseYaml(text, file);
}
