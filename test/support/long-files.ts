import { readFileSync } from "node:fs";
import { globSync } from "tinyglobby";

const SAMPLES =
  /\b(?:longTest\b|(?:propertyRuns|firstOrAll|everyThirdOrAll|sampleOrAll|inEveryLook|everydayTasks|expectAccessibleInEveryLook|atAllWidths)\()/;

/** Returns the tests of the long run: its own tests, and those of which an ordinary run takes a sample. */
export function longFiles(patterns: readonly string[]): string[] {
  const files = globSync([...patterns], { ignore: ["**/node_modules/**"] });
  return files.filter((file) => file.endsWith(".long.test.ts") || SAMPLES.test(readFileSync(file, "utf8")));
}
