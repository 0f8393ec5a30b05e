import { parseYaml } from "./parse.ts";
import { scanYaml } from "./scan/scan.ts";
import type { YamlSource } from "./source.ts";

/** As `readYaml`, for a caller that cannot wait. The built command line loads the full parser when it is first used. */
export function readYamlNow(text: string, file: string): YamlSource {
  return scanYaml(text, file) ?? parseYaml(text, file);
}
