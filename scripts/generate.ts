/** The sources come before the build, which the other files depend on. */
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
