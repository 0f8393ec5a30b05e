import type { YamlSource } from "../yaml/parse.ts";
import { readYaml } from "../yaml/read.ts";

/** Reads a suite document with the place of everything in it: JSON where the file's name says so, else YAML. */
export async function readSource(text: string, file: string): Promise<YamlSource> {
  const isJson = file.toLowerCase().endsWith(".json");
  const refused = isJson ? (await import("../yaml/json.ts")).refuseNoJson(text, file) : undefined;
  return refused ?? readYaml(text, file);
}
