import { escapeRegExp } from "../../words/text.ts";

/** A file of `/etc/logrotate.d`, and the files that it rotates. */
export interface LogrotateRule {
  readonly file: string;
  readonly patterns: readonly string[];
}

/** The paths before each `{`: plain, in quotes, or on several lines. Also those of an instruction outside of a block. */
export function logrotatePatterns(text: string): string[] {
  const patterns: string[] = [];
  let heading: string[] = [];
  let depth = 0;
  for (const raw of text.split("\n")) {
    const line = raw.trim();
    if (line === "" || line.startsWith("#")) continue;
    if (depth > 0) {
      if (line.startsWith("}")) depth -= 1;
      continue;
    }
    const [paths = ""] = line.split("{");
    const words = [...paths.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(([, a, b, c]) => a ?? b ?? c ?? "");
    heading = words[0]?.startsWith("/") === true ? [...heading, ...words] : line.startsWith("{") ? heading : [];
    if (!line.includes("{")) continue;
    patterns.push(...heading);
    heading = [];
    if (!line.endsWith("}")) depth += 1;
  }
  return patterns.filter((pattern) => pattern.startsWith("/"));
}

/** As the shell expands it: `*` and `?` stop at a `/`. */
export function matchesGlob(pattern: string, path: string): boolean {
  const source = pattern.replaceAll(/\[!?[^\]]*\]|[*?]|[^*?[]+|\[/g, (part) => {
    if (part === "*") return "[^/]*";
    if (part === "?") return "[^/]";
    if (part.length > 1 && part.startsWith("[")) return part.replace(/^\[!/, "[^");
    return escapeRegExp(part);
  });
  try {
    return new RegExp(`^${source}$`).test(path);
  } catch {
    return false;
  }
}
