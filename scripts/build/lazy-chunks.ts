import type { Plugin } from "rolldown";
import { bindLazily } from "./bind-lazily.ts";

/** `let node_crypto = require("node:crypto")`, `const require_table = require("./table.cjs")`. */
const REQUIRE = /^(?:let|const) ((?:node|require)_[\w$]+) = (require\("(?:node:|\.{1,2}\/)[^"]+"\));$/gm;

/**
 * Lets a chunk load other chunks and Node's modules when it first uses them. `node:crypto` alone
 * takes as long as all of a short command's own code, and a command uses little of what its chunks
 * could need. Our modules do nothing when they are loaded, so it does not matter when that is.
 */
export function lazyChunks(): Plugin {
  return { name: "lazy-chunks", renderChunk: (code) => ({ code: bindLazily(code, REQUIRE, "$later"), map: null }) };
}
