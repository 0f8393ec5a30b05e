import type { YamlSource } from "../yaml/source.ts";
import { readYaml } from "../yaml/read.ts";

/** Reads a document: JSON if the name of the file says so, else YAML. */
export async function readSource(text: string, file: string): Promise<YamlSource> {
  const refused = isJsonFile(file) ? (await import("../yaml/json.ts")).refuseNoJson(text, file) : undefined;
  return refused ?? readYaml(text, file);
}

export function isJsonFile(file: string): boolean {
  return file.toLowerCase().endsWith(".json");
}
