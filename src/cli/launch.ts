import type { Script } from "node:vm";
import { writeOut } from "../commands/terminal/output.ts";
import { chunkLoader, type LoadChunk, userCodeCache } from "./chunk-loader.ts";
import { earlyAnswer, withDefaultCommand } from "./early-answer.ts";
import type { start } from "./start.ts";

const dist = __dirname;
const typed = process.argv.slice(2);
const answer = earlyAnswer(typed);
if (answer === undefined) startOclif();
else writeOut(answer);

function startOclif(): void {
  const load = loader();
  const chunk = load("start.cjs") as { start: typeof start };
  void chunk.start({ argv: withDefaultCommand(typed), dist, load });
}

/** With SVCM_DEBUG, the source is compiled unchanged, so that stack traces have the right lines. */
function loader(): LoadChunk {
  const isDebugged = Boolean(process.env["SVCM_DEBUG"]);
  if (isDebugged) process.setSourceMapsEnabled(true);
  const codeCache = isDebugged ? undefined : userCodeCache(dist, process.env);
  if (codeCache === undefined) return (chunk) => require(`${dist}/${chunk}`) as unknown;
  const loaded = new Map<string, Script>();
  let isComplete = true;
  // Adds functions that the first run of a command compiled, so that every command benefits.
  process.on("exit", () => isComplete || codeCache.keep(loaded));
  return chunkLoader({
    dist,
    codeCache,
    nodeRequire: require,
    onLoaded: (chunk, { script, isKept }) => {
      loaded.set(chunk, script);
      isComplete &&= isKept;
    },
  });
}
