/**
 * Where the built command line starts. The version and the root help are answered here, from data
 * made at build time; everything else is handed to oclif.
 */
import { existsSync } from "node:fs";
import * as module from "node:module";
import { writeOut } from "../commands/terminal/output.ts";
import { chunkLoader, codeCacheFolder, type LoadChunk } from "./chunk-loader.ts";
import { earlyAnswer } from "./early-answer.ts";
import type { start } from "./start.ts";

const dist = __dirname;
const argv = process.argv.slice(2);
const answer = earlyAnswer(argv, dist);
if (answer === undefined) startOclif();
else writeOut(answer);

function startOclif(): void {
  const load = loader();
  const chunk = load("start.cjs") as { start: typeof start };
  void chunk.start({ argv, dist, load });
}

/**
 * The loader that brings the compiled code for this Node. Where the build has none for it, Node keeps
 * its own, from 22.8 on. With SVCM_DEBUG the source is compiled as it is, and traces tell its lines.
 */
function loader(): LoadChunk {
  const codeCache = codeCacheFolder(dist);
  if (process.env["SVCM_DEBUG"]) process.setSourceMapsEnabled(true);
  else if (existsSync(codeCache)) return chunkLoader({ dist, codeCache, nodeRequire: require });
  else keepCompiledCode();
  return (chunk) => require(`${dist}/${chunk}`) as unknown;
}

/** In the user's own cache folder: what stands in a shared one could be another user's code. */
function keepCompiledCode(): void {
  const { XDG_CACHE_HOME: cache, HOME: home } = process.env;
  const folder = cache || (home && `${home}/.cache`);
  if (folder) (module as CachingModule).enableCompileCache?.(`${folder}/svcm/compiled`);
}

interface CachingModule {
  enableCompileCache?(folder: string): unknown;
}
