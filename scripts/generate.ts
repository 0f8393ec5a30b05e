/** Writes everything that is derived. Run it after `npm run build`, which writes the command manifest. */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { generated } from "./generated.ts";

for (const [file, render] of Object.entries(generated)) {
  const path = fileURLToPath(new URL(`../${file}`, import.meta.url));
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, render());
}
