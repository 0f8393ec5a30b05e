/** Writes every generated file: first the generated sources, then the build, then what depends on both. */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { generatedFiles, generatedSources, type Renderers } from "./generated.ts";

await write(generatedSources);
await import("./build.ts");
await write(generatedFiles);

async function write(renderers: Renderers): Promise<void> {
  for (const [file, render] of Object.entries(renderers)) {
    const path = fileURLToPath(new URL(`../${file}`, import.meta.url));
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, await render());
  }
}
