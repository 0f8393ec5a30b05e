/**
 * Turns bindings at the top of a strict CommonJS module into getters of one object, so that each is
 * made when it is first used. `pattern` matches a whole line, with the name and the value in groups.
 * Lines stay where they are, so source maps hold.
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

/** Finds an identifier on its own: not as a property, but after the dots of a spread. */
function identifier(name: string, followedBy = ""): RegExp {
  const escaped = name.replaceAll("$", String.raw`\$`);
  return new RegExp(String.raw`(?<![\w$])(?<!(?<!\.\.)\.)${escaped}(?![\w$])${followedBy}`, "g");
}
