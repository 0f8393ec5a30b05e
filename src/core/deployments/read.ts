import type { YamlSource } from "../yaml/source.ts";
import { readYaml } from "../yaml/read.ts";

export async function readSource(text: string, file: string): Promise<YamlSource> {
  const refused = isJsonFile(file) ? (await import("../yaml/json.ts")).refuseNoJson(text, file) : undefined;
  return refused ?? readYaml(text, file);
}

export function isJsonFile(file: string): boolean {
  return file.toLowerCase().endsWith(".json");
}
