/**
 * Writes everything that is derived, or only what lies below the path given as an argument. `npm run generate` begins
 * with the sources, because the build and all else is derived from them.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { generated } from "./generated.ts";

const [, , below = ""] = process.argv;
for (const [file, render] of Object.entries(generated)) {
  if (!file.startsWith(below)) continue;
  const path = fileURLToPath(new URL(`../${file}`, import.meta.url));
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, render());
}
