import type { YamlSource } from "../yaml/source.ts";
import { readYaml } from "../yaml/read.ts";

/** Reads a deployments document with the place of everything in it: JSON where the file's name says so, else YAML. */
export async function readSource(text: string, file: string): Promise<YamlSource> {
  const refused = isJsonFile(file) ? (await import("../yaml/json.ts")).refuseNoJson(text, file) : undefined;
  return refused ?? readYaml(text, file);
}

/** Whether a document has to be JSON, which is YAML too, by the name of its file. */
export function isJsonFile(file: string): boolean {
  return file.toLowerCase().endsWith(".json");
}
