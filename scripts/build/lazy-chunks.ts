import type { Plugin } from "rolldown";

/** `let node_crypto = require("node:crypto")`, `const require_table = require("./table.cjs")`. */
const REQUIRE = /^(?:let|const) ((?:node|require)_[\w$]+) = (require\("(?:node:|\.{1,2}\/)[^"]+"\));$/gm;

/**
 * Loads other chunks and Node's modules on first use: `node:crypto` alone takes as long as a short command's own code.
 * The order does not matter, because svcm's modules only define things when they are loaded.
 */
export function lazyChunks(): Plugin {
  return { name: "lazy-chunks", renderChunk: (code) => ({ code: bindLazily(code, REQUIRE, "$later"), map: null }) };
}

/**
 * Computes top-level bindings of a strict CommonJS module on first use, through getters of one object.
 * `pattern` matches a whole line and captures name and value. Lines keep their positions for source maps.
 */
export function bindLazily(code: string, pattern: RegExp, holder: string): string {
  let lazy = code;
  const getters: string[] = [];
  for (const [line, name = "", value = ""] of code.matchAll(pattern)) {
    const rest = lazy.replace(line, "");
    if (identifier(name, " = ").test(rest)) continue;
    lazy = rest.replaceAll(identifier(name), () => `${holder}.${name}`);
    getters.push(
      `get ${name}() { const value = ${value}; Object.defineProperty(this, "${name}", { value }); return value; }`,
    );
  }
  return lazy.replace('"use strict";', () => `"use strict"; const ${holder} = { ${getters.join(", ")} };`);
}

/** Matches no property, but the name after the dots of a spread. */
function identifier(name: string, followedBy = ""): RegExp {
  const escaped = name.replaceAll("$", String.raw`\$`);
  return new RegExp(String.raw`(?<![\w$])(?<!(?<!\.\.)\.)${escaped}(?![\w$])${followedBy}`, "g");
}
