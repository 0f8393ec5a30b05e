import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Script } from "node:vm";
import type { BundledPlugin } from "../../src/cli/bundled-plugin.ts";
import { chunkLoader, codeCacheFolder } from "../../src/cli/chunk-loader.ts";
import { PLUGINS_FILE, type start } from "../../src/cli/start.ts";

/** What is run over a small repository, so that the code that commands need is compiled when it is kept. */
const WARM_UP = [
  ["env", "get"],
  ["env", "get", "--json"],
  ["env", "get", "--help"],
  ["targets", "validate"],
  ["validate", "--file", "faulty.yaml"],
  ["validate", "--file", "aliased.yaml"],
];
/** A document with an issue, and one that only the parser of the whole language reads. */
const FAULTY = "deployments:\n  - name: a\n    region: eu\n    runtime: latest\n";
const ALIASED = "runtimeEnvironment: &environment dev\ndeployments:\n  - { name: *environment, region: [] }\n";
const FILES = {
  "apps/backend-template/src/config/.env.dev": "SVC_HTTP_FRAMEWORK=express\n",
  "deployments.yaml": readFileSync(new URL("../../deployments.yaml", import.meta.url), "utf8"),
  "faulty.yaml": FAULTY,
  "aliased.yaml": ALIASED,
};

/** Keeps the code that V8 compiles for the chunks, for the Node that builds. Another Node compiles for itself. */
export function writeCodeCache(dist: string): void {
  const repository = mkdtempSync(join(tmpdir(), "svcm-warm-up-"));
  try {
    for (const [name, text] of Object.entries(FILES)) {
      mkdirSync(dirname(join(repository, name)), { recursive: true });
      writeFileSync(join(repository, name), text);
    }
    const env = { PATH: process.env["PATH"], HOME: repository };
    const argv = ["--import", import.meta.resolve("tsx"), fileURLToPath(import.meta.url), dist];
    execFileSync(process.execPath, argv, { cwd: repository, env, stdio: "ignore" });
  } finally {
    rmSync(repository, { recursive: true });
  }
}

/**
 * Keeps each chunk as it stands after the first command that loads it: what later ones add would
 * make every start heavier for the sake of a few.
 */
async function warmUp(dist: string): Promise<void> {
  const fresh = new Map<string, Script>();
  const codeCache = codeCacheFolder(dist);
  const nodeRequire = createRequire(join(dist, "launch.cjs"));
  const load = chunkLoader({ dist, codeCache, nodeRequire, onCompiled: (chunk, script) => fresh.set(chunk, script) });
  const { start: run } = load("start.cjs") as { start: typeof start };
  process.setMaxListeners(0);
  for (const argv of WARM_UP) {
    await run({ argv, dist, load });
    keep(fresh, codeCache);
  }
  const plugins = JSON.parse(readFileSync(join(dist, PLUGINS_FILE), "utf8")) as BundledPlugin[];
  for (const { relativePath = [] } of Object.values(plugins[0]?.commands ?? {})) load(relativePath.slice(1).join("/"));
  keep(fresh, codeCache);
  process.exitCode = 0;
}

function keep(fresh: Map<string, Script>, codeCache: string): void {
  for (const [chunk, script] of fresh) {
    const target = join(codeCache, chunk);
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, script.createCachedData());
  }
  fresh.clear();
}

const [, program, dist] = process.argv;
if (program === fileURLToPath(import.meta.url) && dist !== undefined) await warmUp(dist);
