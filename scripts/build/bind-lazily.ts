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
