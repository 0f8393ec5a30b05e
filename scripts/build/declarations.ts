import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { rolldown } from "rolldown";
import { dts } from "rolldown-plugin-dts";
import { ROOT, type Entries } from "./entries.ts";

/** One file per library and module format, with only what the library exports. */
export async function writeDeclarations(entries: Entries, dist: string): Promise<void> {
  const esm = join(dist, "lib/esm");
  await using bundle = await rolldown({
    cwd: ROOT,
    input: entries,
    checks: { bundlerTimings: false },
    plugins: [dts({ emitDtsOnly: true, sourcemap: false, tsconfig: join(ROOT, "tsconfig.json") })],
  });
  const { output } = await bundle.write({ dir: esm, entryFileNames: "[name].js" });
  for (const [format, type] of [
    ["esm", "module"],
    ["cjs", "commonjs"],
  ] as const) {
    const lib = join(dist, "lib", format);
    mkdirSync(lib, { recursive: true });
    for (const part of output)
      if (part.type === "chunk") writeFileSync(join(lib, part.fileName), withCommentsAbove(part.code));
    writeFileSync(join(lib, "package.json"), `${JSON.stringify({ type })}\n`);
  }
}

/** The printer puts the comment of a member after the previous member, where editors do not find it. */
function withCommentsAbove(types: string): string {
  return types.replaceAll("; /**", ";\n/**");
}
