import { parseJson } from "../yaml/json.ts";
import { parseYaml, type YamlSource } from "../yaml/parse.ts";

/** Reads a suite document with the place of everything in it: JSON where the file's name says so, else YAML. */
export function parseSource(text: string, file: string): YamlSource {
  return file.toLowerCase().endsWith(".json") ? parseJson(text, file) : parseYaml(text, file);
}
