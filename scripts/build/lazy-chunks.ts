import type { Plugin } from "rolldown";
import { bindLazily } from "./bind-lazily.ts";

/** `let node_crypto = require("node:crypto")`, `const require_table = require("./table.cjs")`. */
const REQUIRE = /^(?:let|const) ((?:node|require)_[\w$]+) = (require\("(?:node:|\.{1,2}\/)[^"]+"\));$/gm;

/**
 * Loads other chunks and Node's modules on first use: `node:crypto` alone takes as long as a short command's own code.
 * The order does not matter, because svcm's modules only define things when they are loaded.
 */
export function lazyChunks(): Plugin {
  return { name: "lazy-chunks", renderChunk: (code) => ({ code: bindLazily(code, REQUIRE, "$later"), map: null }) };
}
