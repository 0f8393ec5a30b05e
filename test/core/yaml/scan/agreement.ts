import { isDeepStrictEqual } from "node:util";
import { parseYaml } from "../../../../src/core/yaml/parse.ts";
import { scanYaml } from "../../../../src/core/yaml/scan/scan.ts";
import { mutant, randomOf } from "../mutate.ts";

type Path = readonly (string | number)[];

/**
 * The differences between the scan and the parser for one text; `undefined` if the scan declines it. It compares the
 * value, the absence of issues and each scalar as written. It also compares the positions of the key and the value of
 * every path, even of paths that do not exist.
 */
export function disagreements(text: string): string[] | undefined {
  const scanned = scanYaml(text, "a.yaml");
  if (!scanned) return undefined;
  const parsed = parseYaml(text, "a.yaml");
  const found: string[] = [];
  const compare = (what: string, ours: unknown, theirs: unknown): void => {
    if (!isDeepStrictEqual(ours, theirs)) found.push(`${what}: ${JSON.stringify(ours)}, not ${JSON.stringify(theirs)}`);
  };
  compare("issues", scanned.issues, parsed.issues);
  compare("value", scanned.value, parsed.value);
  for (const path of pathsOf(parsed.value, [])) {
    const where = JSON.stringify(path);
    compare(`the value of ${where}`, scanned.at(path), parsed.at(path));
    compare(`the key of ${where}`, scanned.at(path, "key"), parsed.at(path, "key"));
    compare(`${where} as written`, scanned.scalarSource(path), parsed.scalarSource(path));
  }
  return found;
}

/** Compares them on many mutants, and returns how many the scan accepted. @throws with the first text that differs */
export function compareMutants(documents: readonly string[], count: number, seed: number): number {
  const random = randomOf(seed);
  let accepted = 0;
  for (let tried = 0; tried < count; tried++) {
    const text = mutant(documents, random);
    const found = disagreements(text);
    if (found?.length) throw new Error(`seed ${seed}, ${JSON.stringify(text)}:\n${found.join("\n")}`);
    if (found) accepted++;
  }
  return accepted;
}

function* pathsOf(value: unknown, path: Path): Generator<Path> {
  yield path;
  yield [...path, "absent"];
  yield [...path, 99];
  if (typeof value !== "object" || value === null) return;
  const isList = Array.isArray(value);
  for (const [key, child] of Object.entries(value)) yield* pathsOf(child, [...path, isList ? Number(key) : key]);
}
