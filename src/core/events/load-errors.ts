/** Faults of a script that show without running it. */

const COMMENTS = /\/\*[^]*?\*\/|^\s*\/\/.*$/gm;
/** A module that is loaded there may be missing. */
const TRIES = /\btry\s*\{[^}]*\}/g;
const MODULES = /(?:\brequire\(\s*|^\s*import\s+|^\s*(?:import|export)\b[^"';]*\bfrom\s+)(["'])([^"'\n]+)\1/gm;

/** The modules that the code names when it is loaded, without those that it may do without. */
export function namedModules(code: string): string[] {
  const plain = code.replace(COMMENTS, "").replace(TRIES, "");
  return [...new Set([...plain.matchAll(MODULES)].flatMap(([, , name]) => name ?? []))];
}

/** @param text what `node --check` writes */
export function syntaxFault(text: string): string | undefined {
  const [, place = ""] = /^(?:file:\/\/)?(\/.+:\d+)$/m.exec(text) ?? [];
  const error = /^SyntaxError: .*$/m.exec(text)?.[0];
  return error === undefined ? undefined : `${place === "" ? "" : `${place}: `}${error}`;
}
