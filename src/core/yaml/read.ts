import { refuseNoJson } from "./json.ts";
import { parseYaml } from "./parse.ts";
import type { YamlSource } from "./source.ts";

/** Reads a text: JSON if the name of the file says so, else YAML. */
export function readSource(text: string, file: string): YamlSource {
  return (isJsonFile(file) ? refuseNoJson(text, file) : undefined) ?? parseYaml(text, file);
}

export function isJsonFile(file: string): boolean {
  return file.toLowerCase().endsWith(".json");
}
