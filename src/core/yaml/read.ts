import { refuseNoJson } from "./json.ts";
import { parseYaml } from "./parse.ts";
import { scanYaml } from "./scan/scan.ts";
import type { YamlSource } from "./source.ts";

/** Reads a text: JSON if the name of the file says so, else YAML. */
export function readSource(text: string, file: string): YamlSource {
  return (isJsonFile(file) ? refuseNoJson(text, file) : undefined) ?? readYaml(text, file);
}

/** The parser reads a text that the fast scan declines; the built command line loads it only then. */
export function readYaml(text: string, file: string): YamlSource {
  return scanYaml(text, file) ?? parseYaml(text, file);
}

export function isJsonFile(file: string): boolean {
  return file.toLowerCase().endsWith(".json");
}
