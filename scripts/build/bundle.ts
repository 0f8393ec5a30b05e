import { dirname, join, relative, resolve, sep } from "node:path";
import { rolldown, type InputOptions, type OutputChunk, type OutputOptions } from "rolldown";
import { chunkGroups } from "./chunk-groups.ts";
import { ROOT, type Entries } from "./entries.ts";
import { lazyChunks } from "./lazy-chunks.ts";
import { separatePrograms, namedFiles } from "./file-urls.ts";

/** Packages that oclif loads only when it runs from source, and pm2, which starts programs from its own folder. */
const EXTERNAL = ["typescript", "ts-node", "tsx", /^pm2(?:\/|$)/];

const INPUT: InputOptions = {
  cwd: ROOT,
  platform: "node",
  external: EXTERNAL,
  treeshake: { moduleSideEffects: [{ test: /[\\/]src[\\/](?:core|server)[\\/]/, sideEffects: false }] },
  // On a busy machine, the bundler warns that it is slow.
  checks: { bundlerTimings: false },
  onLog(level, log, handler) {
    if (level === "warn") throw new Error(log.message);
    handler(level, log);
  },
};

const OUTPUT: OutputOptions = { sourcemap: true, exports: "named", comments: false, strict: true };

/** Without `isLazy`, each chunk loads all of its imports; the result is the same, only slower. */
export async function bundleCommandLine(
  entries: Entries,
  dist: string,
  { isLazy }: { readonly isLazy: boolean },
): Promise<OutputChunk[]> {
  const programs = new Map<string, string>();
  const input: InputOptions = {
    ...INPUT,
    input: entries,
    preserveEntrySignatures: "allow-extension",
    plugins: [separatePrograms(programs), isLazy && lazyChunks()],
  };
  const { groups, requireUsed } = chunkGroups(ROOT);
  const chunks = await write(input, dist, {
    ...OUTPUT,
    format: "cjs",
    dynamicImportInCjs: false,
    entryFileNames: "[name].cjs",
    chunkFileNames: "chunks/[name].cjs",
    codeSplitting: { includeDependenciesRecursively: false, groups },
  });
  requireUsed();
  refuseCycles(chunks);
  for (const [name, source] of programs) chunks.push(...(await bundleAlone({ [name]: source }, dist)));
  return chunks;
}

/** @throws if chunks import each other, because one would run before the other has its exports */
function refuseCycles(chunks: readonly OutputChunk[]): void {
  const imports = new Map(chunks.map(({ fileName, imports: imported }) => [fileName, imported]));
  const done = new Set<string>();
  const follow = (chunk: string, path: readonly string[]): void => {
    if (done.has(chunk)) return;
    const cycle = path.slice(path.indexOf(chunk));
    if (path.includes(chunk) && !cycle.every((name) => OCLIF.test(name)))
      throw new Error(
        `Chunks import each other: ${[...cycle, chunk].join(" -> ")}. Move a module to another of the GROUPS.`,
      );
    if (!path.includes(chunk)) for (const next of imports.get(chunk) ?? []) follow(next, [...path, chunk]);
    if (!path.includes(chunk)) done.add(chunk);
  };
  for (const chunk of imports.keys()) follow(chunk, []);
}

/** The modules of oclif are CommonJS and import each other, which they support. */
const OCLIF = /^chunks\/oclif(?:-more)?\.cjs$/;

/** Each output file is self-contained. */
export async function bundleAlone(entry: Entries, dist: string): Promise<OutputChunk[]> {
  const output: OutputOptions = { ...OUTPUT, format: "cjs", entryFileNames: "[name].cjs", codeSplitting: false };
  return write({ ...INPUT, input: entry }, dist, output);
}

/** Loaded on demand; paths are relative to `dist/lib/<format>/`. */
const FILES_OF_LIBRARIES = {
  "../project/facts/read.ts": "../../contract-reader.cjs",
  "../project/read.ts": "../../project-reader.cjs",
};

export async function bundleLibraries(entries: Entries, dist: string): Promise<OutputChunk[]> {
  const options = { ...INPUT, input: entries, plugins: [namedFiles(FILES_OF_LIBRARIES)] };
  const esm = await write(options, join(dist, "lib/esm"), {
    ...OUTPUT,
    format: "esm",
    entryFileNames: "[name].js",
    chunkFileNames: "[name].js",
  });
  const cjs = await write(options, join(dist, "lib/cjs"), {
    ...OUTPUT,
    format: "cjs",
    entryFileNames: "[name].js",
    chunkFileNames: "[name].js",
  });
  return [...esm, ...cjs];
}

async function write(input: InputOptions, dir: string, output: OutputOptions): Promise<OutputChunk[]> {
  await using bundle = await rolldown(input);
  const { output: files } = await bundle.write({ ...output, dir, sourcemapPathTransform: sourceSeenFromDist });
  return files.filter((file) => file.type === "chunk");
}

/** The build is moved from another folder when it is complete. */
function sourceSeenFromDist(source: string, map: string): string {
  const inDist = map.slice(map.lastIndexOf(`${sep}dist${sep}`));
  return relative(dirname(join(ROOT, inDist)), resolve(dirname(map), source));
}
