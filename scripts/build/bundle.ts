import { dirname, join, relative, resolve, sep } from "node:path";
import { rolldown, type InputOptions, type OutputChunk, type OutputOptions } from "rolldown";
import { ROOT, type Entries } from "./entries.ts";
import { lazyChunks } from "./lazy-chunks.ts";
import { lazyOclif } from "./lazy-oclif.ts";
import { separatePrograms, namedFiles } from "./file-urls.ts";

/** Packages that oclif loads only when it runs from source, and pm2, which starts programs from its own folder. */
const EXTERNAL = ["typescript", "ts-node", "tsx", /^pm2(?:\/|$)/];

const INPUT: InputOptions = {
  cwd: ROOT,
  platform: "node",
  external: EXTERNAL,
  treeshake: { moduleSideEffects: [{ test: /[\\/]src[\\/](?:core|server)[\\/]/, sideEffects: false }] },
  onLog(level, log, handler) {
    if (level === "warn") throw new Error(log.message);
    handler(level, log);
  },
};

const OUTPUT: OutputOptions = { sourcemap: true, exports: "named", comments: false, strict: true };

/**
 * In import order, which `refuseCycles` enforces. An additional file takes longer to load than some additional code,
 * so each group contains modules that are used together: `svcm env get` loads `oclif`, `core` and `svcm`.
 */
const GROUPS = [
  // Parts of oclif that explain a command or search for plugins.
  {
    name: "oclif-more",
    test: /[\\/]@oclif[\\/]core[\\/]lib[\\/](?:help[\\/](?!util)|ux[\\/]|errors[\\/]|config[\\/](?:plugin\.|ts-path)|module-loader|constraints|execute|flush|index\.|parser[\\/](?:errors|help)|screen\.|interfaces[\\/]theme|util[\\/](?:cache|determine|find|fs|read))/,
  },
  { name: "oclif", test: /[\\/]@oclif[\\/]core[\\/]/ },
  // Validates outside input. The command line does not need it for its own input.
  { name: "zod", test: /[\\/]node_modules[\\/]zod[\\/]/ },
  { name: "keys", test: /[\\/]src[\\/](?:core[\\/]project[\\/]keys|commands[\\/]terminal[\\/]guesses)\./ },
  { name: "audit-text", test: /[\\/]src[\\/]core[\\/]audit[\\/]audit-text\./ },
  { name: "suggest", test: /[\\/](?:fastest-levenshtein|src[\\/]core[\\/]words[\\/]suggest)/ },
  {
    name: "core",
    test: /[\\/]src[\\/]core[\\/](?:(?:caller|errors|operation)\.|ports[\\/]|words[\\/](?!json-|duration|group-by|escape-)|secrets[\\/]|api[\\/](?:(?:code|issue|rights)\.)|facts[\\/](?:packaged|own|project-tiers)|project[\\/](?:(?:project|resolve|state-place)|detect[\\/]survey)\.|findings[\\/]cells|env[\\/](?:document|env-file|runtime-keys)\.|adapters[\\/](?:(?:facts|host|facts-cache|service-name|state-place|user-cache|workspace)\.|pm2[\\/]home|files[\\/](?:file-error|read|system)\.))/,
    minShareCount: 4,
  },
  { name: "adapters", test: /[\\/]src[\\/]core[\\/]adapters[\\/](?!files[\\/]index)/, minShareCount: 4 },
  {
    name: "svcm",
    test: /[\\/]src[\\/](?:core[\\/](?:index\.|adapters[\\/]files[\\/]index)|commands[\\/](?:base|terminal[\\/](?:fit|node-command|output|paint|screen|table)\.))/,
    minShareCount: 4,
  },
];

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
    plugins: [lazyOclif(), separatePrograms(programs), isLazy && lazyChunks()],
  };
  const chunks = await write(input, dist, {
    ...OUTPUT,
    format: "cjs",
    dynamicImportInCjs: false,
    entryFileNames: "[name].cjs",
    chunkFileNames: "chunks/[name].cjs",
    codeSplitting: { includeDependenciesRecursively: false, groups: GROUPS },
  });
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
  "../facts/read.ts": "../../contract-reader.cjs",
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
