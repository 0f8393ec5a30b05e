import { dirname, join, relative, resolve, sep } from "node:path";
import { rolldown, type InputOptions, type OutputChunk, type OutputOptions } from "rolldown";
import { ROOT, type Entries } from "./entries.ts";
import { lazyChunks } from "./lazy-chunks.ts";
import { lazyOclif } from "./lazy-oclif.ts";
import { separatePrograms } from "./separate-programs.ts";
import { namedFiles } from "./named-files.ts";

/** What oclif would load to run from source, and pm2, which starts programs from its own folder. */
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
 * What nearly every command uses is in a few chunks of their own, for a file more takes longer than
 * a little code more; what oclif needs only to explain a command or to look for plugins is apart.
 * Where a module stands makes a start faster or slower, no more.
 */
const GROUPS = [
  {
    name: "oclif-more",
    test: /[\\/]@oclif[\\/]core[\\/]lib[\\/](?:help[\\/](?!util)|ux[\\/](?!write)|errors[\\/]|config[\\/](?:plugin\.|ts-path)|module-loader|constraints|execute|flush|index\.|parser[\\/](?:errors|help)|util[\\/](?:find|read|cache))/,
  },
  { name: "oclif", test: /[\\/]@oclif[\\/]core[\\/]/ },
  // What comes from outside is parsed with it: no input of a command is.
  { name: "zod", test: /[\\/]node_modules[\\/]zod[\\/]/ },
  {
    name: "svcm",
    test: /[\\/]src[\\/](?:commands[\\/](?:base|terminal[\\/](?!entry|prompt|removal|suite-e|validation|process|watch))|core[\\/](?:adapters[\\/]|secrets[\\/]|words[\\/]|env[\\/]|(?:errors|operation|ports|index)\.|api[\\/]issue|facts[\\/]packaged))|[\\/]fastest-levenshtein[\\/]/,
    minShareCount: 4,
  },
];

/** The command line: one chunk a command, what they share in few, and the programs that they start. */
export async function bundleCommandLine(entries: Entries, dist: string): Promise<OutputChunk[]> {
  const programs = new Map<string, string>();
  const input: InputOptions = {
    ...INPUT,
    input: entries,
    preserveEntrySignatures: "allow-extension",
    plugins: [lazyOclif(), separatePrograms(programs), lazyChunks()],
  };
  const chunks = await write(input, dist, {
    ...OUTPUT,
    format: "cjs",
    dynamicImportInCjs: false,
    entryFileNames: "[name].cjs",
    chunkFileNames: "chunks/[name].cjs",
    codeSplitting: { includeDependenciesRecursively: false, groups: GROUPS },
  });
  for (const [name, source] of programs) chunks.push(...(await bundleAlone({ [name]: source }, dist)));
  return chunks;
}

/** A file that needs no other of the build: what it shares with them is in it, too. */
export async function bundleAlone(entry: Entries, dist: string): Promise<OutputChunk[]> {
  const output: OutputOptions = { ...OUTPUT, format: "cjs", entryFileNames: "[name].cjs", codeSplitting: false };
  return write({ ...INPUT, input: entry }, dist, output);
}

/** What a library requires only when it needs it, as seen from `dist/lib/<format>/`. */
const FILES_OF_LIBRARIES = { "../facts/read.ts": "../../contract-reader.cjs" };

/** The libraries, once for `import` and once for `require`. */
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

/** The build is made elsewhere and moved to its place when it is whole. */
function sourceSeenFromDist(source: string, map: string): string {
  const inDist = map.slice(map.lastIndexOf(`${sep}dist${sep}`));
  return relative(dirname(join(ROOT, inDist)), resolve(dirname(map), source));
}
