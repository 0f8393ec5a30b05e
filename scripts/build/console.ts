import { transform } from "lightningcss";
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, extname, join } from "node:path";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { rolldown, type OutputChunk } from "rolldown";
import { glob } from "tinyglobby";
import { ROOT } from "./entries.ts";

const SOURCE = join(ROOT, "src/console");
/** In layer order, before the styles of the tabs. */
const STYLES = ["tokens", "base", "layout", "components", "touch", "print"].map((name) => `styles/${name}.css`);
const ICONS = ["icon.svg", "icon-error.svg"];

export interface ConsoleBuild {
  readonly chunks: readonly OutputChunk[];
  /** Gzipped. */
  readonly scriptBytes: number;
  /** The scripts that the browser loads before it shows Monitoring, gzipped. */
  readonly firstBytes: number;
  readonly styleBytes: number;
}

/** The names of assets change with their content. */
export async function buildConsole(dist: string): Promise<ConsoleBuild> {
  const assets = join(dist, "console/assets");
  const compressed = join(dist, "console/compressed");
  for (const folder of [assets, compressed]) mkdirSync(folder, { recursive: true });
  const names = new Map<string, string>();
  const add = (name: string, content: string): void => {
    const hash = createHash("sha256").update(content).digest("hex").slice(0, 10);
    const hashed = `${basename(name, extname(name))}.${hash}${extname(name)}`;
    names.set(name, hashed);
    writeFileSync(join(assets, hashed), content);
    writeCompressed(join(compressed, hashed), content);
  };
  const main = await scripts("main.tsx", "esm");
  const theme = await scripts("theme.ts", "iife");
  for (const { name, isEntry, fileName, code } of [...main, ...theme]) {
    if (isEntry) names.set(`${name}.js`, fileName);
    writeFileSync(join(assets, fileName), code);
    writeCompressed(join(compressed, fileName), code);
  }
  const style = await styleSheet();
  add("console.css", style);
  for (const icon of ICONS) add(icon, readFileSync(join(SOURCE, icon), "utf8"));
  const page = readFileSync(join(SOURCE, "index.html"), "utf8");
  writeFileSync(join(dist, "console/index.html"), withNames(page, names));
  return {
    chunks: [...main, ...theme],
    scriptBytes: sum([...main, ...theme]),
    firstBytes: sum([...firstChunks(main), ...theme]),
    styleBytes: compress(style).length,
  };
}

/** Writes no copy if compression gains nothing. */
function writeCompressed(file: string, content: string): void {
  if (content.length < 1024) return;
  writeFileSync(`${file}.br`, brotliCompressSync(content));
  writeFileSync(`${file}.gz`, compress(content));
}

/** As the server sends it. */
function compress(content: string): Buffer {
  return gzipSync(content, { level: 9 });
}

async function scripts(entry: string, format: "esm" | "iife"): Promise<OutputChunk[]> {
  await using bundle = await rolldown({
    cwd: ROOT,
    input: join(SOURCE, entry),
    platform: "browser",
    tsconfig: join(SOURCE, "tsconfig.json"),
    treeshake: { moduleSideEffects: [{ test: /[\\/]src[\\/]core[\\/]/, sideEffects: false }] },
    plugins: [
      {
        name: "rules-without-words",
        transform: {
          filter: {
            id: /core[\\/](?:deployments[\\/]rules[\\/]|env[\\/]value-rules|project[\\/]rollout-settings)/,
          },
          handler: rulesOnly,
        },
      },
      {
        name: "fields-of-forms",
        transform: { filter: { id: /core[\\/]deployments[\\/]fields\./ }, handler: formsOnly },
      },
    ],
    optimization: { inlineConst: { mode: "all", pass: 3 } },
    onLog(level, log, handler) {
      if (level === "warn") throw new Error(log.message);
      handler(level, log);
    },
  });
  const { output } = await bundle.generate({
    format,
    minify: true,
    comments: false,
    codeSplitting: format === "iife" ? false : { groups: GROUPS },
    entryFileNames: "[name].[hash:10].js",
    chunkFileNames: "[name].[hash:10].js",
    hashCharacters: "hex",
  });
  return output.filter((one) => one.type === "chunk");
}

/** Each takes all that it imports, because many small files compress worse than a few. The first one is for every view. */
const GROUPS = [
  { name: "main", test: /console[\\/]main\./ },
  { name: "views", test: /console[\\/]tabs[\\/]later\./ },
];

function firstChunks(chunks: readonly OutputChunk[]): OutputChunk[] {
  const found = new Set(chunks.filter(({ isEntry }) => isEntry));
  for (const { imports } of found) for (const one of chunks) if (imports.includes(one.fileName)) found.add(one);
  return [...found];
}

function sum(chunks: readonly OutputChunk[]): number {
  return chunks.reduce((total, { code }) => total + compress(code).length, 0);
}

/** Removes large texts of editor schemas, which the console never shows. */
function rulesOnly(code: string): string {
  return code
    .replaceAll(/\bhelp:\s+(?:"(?:[^"\\]|\\.)*"|`[^`]*`)(?:,$| (?=\}))/gm, "")
    .replaceAll(/^( *)schema: \{(?:.*\}|[^]*?\n\1\}),$/gm, "");
}

/** Removes the flags of the command line, the columns of its lists and the formats of editor schemas. */
function formsOnly(code: string): string {
  return code.replaceAll(/^ *(?:flag|flagAliases|column|format|emptyIsAbsent): .*,\n/gm, "");
}

async function styleSheet(): Promise<string> {
  const tabs = (await glob("tabs/**/*.css", { cwd: SOURCE })).toSorted();
  const code = [...STYLES, ...tabs].map((file) => readFileSync(join(SOURCE, file), "utf8")).join("\n");
  return transform({ filename: "console.css", code: Buffer.from(code), minify: true }).code.toString();
}

function withNames(page: string, names: ReadonlyMap<string, string>): string {
  return page.replaceAll(/"assets\/([\w.-]+)/g, (_all, name: string) => {
    const hashed = names.get(name);
    if (hashed === undefined) throw new Error(`src/console/index.html names ${name}, which the build does not make`);
    return `"assets/${hashed}`;
  });
}
