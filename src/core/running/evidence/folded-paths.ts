import { dirname, join, resolve } from "node:path";

export interface FoldedPaths {
  /** Absolute, as `require` takes them: the ending may be missing. */
  readonly modules: readonly string[];
  /** Folders of modules whose names are known only at run time. */
  readonly folders: readonly string[];
  readonly files: readonly string[];
  /** Those that the program writes. */
  readonly written: readonly string[];
}

interface Place {
  readonly file: string;
  /** Of the process. */
  readonly cwd: string;
}

const NONE: FoldedPaths = { modules: [], folders: [], files: [], written: [] };

const HINT =
  /\b__dirname\b|\b__filename\b|\bimport\.meta\.|\bprocess\.cwd\(|\b(?:join|resolve|URL|fork|Worker)\s*\(|\b(?:read|write)File|\b(?:require|import)\s*\(\s*["'`]\//;
const NAMED = /\b(?:const|let|var)\s+([A-Za-z_$][\w$]*)(?:\s*:\s*[\w.]+)?\s*=\s*(?![=>])/g;
const LOADED = /\b(require(?:\.resolve)?|import|import\.meta\.resolve|fork|new\s+(?:\w+\.)?Worker)\s*\(\s*/g;
const READ = /\b(?:readFile|readJson|createReadStream)(?:Sync)?\s*\(\s*/g;
const WRITTEN =
  /\b(?:(?:write|append|output|copy)File|(?:write|output)J(?:son|SON)|createWriteStream|truncate|rename|unlink|rm)(?:Sync)?\s*\(\s*/g;
const JOINED =
  /(?<![\w$.])(?:(?:path|posix)\s*\.\s*)?(?:join|resolve|normalize)\s*\(|\bnew\s+URL\s*\(|\bimport\.meta\.\w+|`\$\{|(?<![\w$.])[A-Za-z_$][\w$]*\s*\+\s*["'`]/g;

/** It differs at each look, or belongs to the machine. */
const SYSTEM = /^\/(?:proc|sys|dev(?!\/shm)|run|etc)\//;

/**
 * Paths that a program names by parts, such as `path.join(__dirname, "..", "lib", "x")`, as far as they are constant. The
 * text is not parsed, so TypeScript is read alike.
 */
export function foldPaths(text: string, place: Place): FoldedPaths {
  if (!HINT.test(text)) return NONE;
  const names = new Map<string, Folded>();
  const fold = (at: number): Folded | undefined => new Folding(text, at, { ...place, names }).expression();
  for (const { 0: { length } = "", 1: name = "", index } of text.matchAll(NAMED)) {
    const value = fold(index + length);
    if (value === undefined) names.delete(name);
    else names.set(name, value);
  }
  const own = dirname(place.file);
  const loaded = [...text.matchAll(LOADED)].flatMap(({ 0: { length }, 1: by = "", index }): Folded[] => {
    const value = fold(index + length);
    if (value === undefined || !isPath(`${value.path}/`)) return [];
    return [{ ...value, path: resolve(/^(?:fork|new)/.test(by) ? place.cwd : own, value.path) }];
  });
  const closed = (pattern: RegExp, isAfter: boolean): string[] =>
    [...text.matchAll(pattern)].flatMap(({ 0: { length }, index }) => {
      const value = fold(isAfter ? index + length : index);
      return value === undefined || value.isOpen ? [] : [resolve(place.cwd, value.path)];
    });
  return {
    modules: loaded.filter(({ isOpen }) => !isOpen).map(({ path }) => path),
    folders: loaded.filter(({ isOpen }) => isOpen).map(({ path }) => path),
    files: [...closed(READ, true), ...closed(JOINED, false)].filter((path) => !SYSTEM.test(path)),
    written: closed(WRITTEN, true),
  };
}

interface Folded {
  readonly path: string;
  /** The rest is known only at run time; `path` is the folder before it. */
  readonly isOpen: boolean;
}

interface FoldingContext extends Place {
  readonly names: ReadonlyMap<string, Folded>;
}

const TEXT = /(["'])((?:(?!\1)[^\\\n])*)\1/y;
const CHUNK = /[^\\`$]*/y;
const WORD = /(?:(?:path|posix|url|process|require|import\.meta)\s*\.\s*)?[A-Za-z_$][\w$]*/y;
const SPACE = /(?:\s|\/\/[^\n]*\n|\/\*[^*]*\*\/)*(?:\b(?:await|new)\b\s*)*/y;
/** A URL of a file is handled as its path. */
const SUFFIX = /(?:\.(?:href|pathname)\b|\.toString\(\)|!|\s+as\s+string\b)*/y;
const UNKNOWN_SUFFIX = /\s*(?:\??\.|\[|\(|`|\*|%)/y;

/** After an unknown part, the position is lost, so the value ends there. */
class Folding {
  readonly #text: string;
  readonly #context: FoldingContext;
  #at: number;

  constructor(text: string, at: number, context: FoldingContext) {
    this.#text = text;
    this.#at = at;
    this.#context = context;
  }

  expression(): Folded | undefined {
    let value = this.#operand();
    while (value !== undefined && !value.isOpen && this.#accept("+")) value = append(value, this.#operand());
    return value;
  }

  #operand(): Folded | undefined {
    this.#match(SPACE);
    const value = this.#primary();
    if (value === undefined || value.isOpen) return value;
    this.#match(SUFFIX);
    return this.#peek(UNKNOWN_SUFFIX) ? undefined : value;
  }

  #primary(): Folded | undefined {
    const [, , text] = this.#match(TEXT) ?? [];
    if (text !== undefined) return toClosed(text);
    if (this.#accept("`")) return this.#template();
    if (this.#accept("(")) {
      const value = this.expression();
      return value === undefined || value.isOpen || this.#accept(")") ? value : undefined;
    }
    const [word] = this.#match(WORD) ?? [];
    return word === undefined ? undefined : this.#word(word.replaceAll(/\s/g, ""));
  }

  #template(): Folded | undefined {
    let value: Folded | undefined = toClosed("");
    while (value !== undefined && !value.isOpen) {
      const [chunk = ""] = this.#match(CHUNK) ?? [];
      value = toClosed(value.path + chunk);
      if (this.#take("`")) return value;
      if (!this.#take("${")) return undefined;
      value = append(value, this.expression());
      if (value !== undefined && !value.isOpen && !this.#accept("}")) return undefined;
    }
    return value;
  }

  #word(word: string): Folded | undefined {
    const { file, cwd, names } = this.#context;
    if (word === "__dirname" || word === "import.meta.dirname") return toClosed(dirname(file));
    if (word === "__filename" || word === "import.meta.filename" || word === "import.meta.url") return toClosed(file);
    if (word === "process.cwd" && this.#accept("(")) return this.#accept(")") ? toClosed(cwd) : undefined;
    return this.#accept("(") ? this.#call(word) : names.get(word);
  }

  #call(word: string): Folded | undefined {
    const { file, cwd } = this.#context;
    const { texts, isWhole } = this.#parts();
    const [first, second] = texts;
    if (first === undefined) return undefined;
    if (JOIN.test(word)) return { path: join(...texts), isOpen: !isWhole };
    if (RESOLVE.test(word)) return { path: resolve(cwd, ...texts), isOpen: !isWhole };
    if (!isWhole) return undefined;
    if (word === "URL") return second === undefined ? undefined : toClosed(besides(second, first));
    if (OF_MODULE.test(word)) return isPath(first) ? toClosed(resolve(dirname(file), first)) : undefined;
    if (DIRNAME.test(word)) return toClosed(dirname(first));
    return SAME_PATH.test(word) ? toClosed(first) : undefined;
  }

  /** The arguments of a call, up to the first that is not constant. */
  #parts(): { readonly texts: readonly string[]; readonly isWhole: boolean } {
    const texts: string[] = [];
    while (!this.#accept(")")) {
      const value = this.expression();
      if (value !== undefined) texts.push(value.path);
      const isEnd = value !== undefined && !value.isOpen && this.#accept(")");
      if (isEnd) break;
      if (value === undefined || value.isOpen || !this.#accept(",")) return { texts, isWhole: false };
    }
    return { texts, isWhole: true };
  }

  #accept(token: string): boolean {
    this.#match(SPACE);
    return this.#take(token);
  }

  #take(token: string): boolean {
    if (!this.#text.startsWith(token, this.#at)) return false;
    this.#at += token.length;
    return true;
  }

  #match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text);
    if (found !== null) this.#at = pattern.lastIndex;
    return found;
  }

  #peek(pattern: RegExp): boolean {
    pattern.lastIndex = this.#at;
    return pattern.test(this.#text);
  }
}

const JOIN = /^(?:(?:path|posix)\.)?join$/;
const RESOLVE = /^(?:(?:path|posix)\.)?resolve$/;
const DIRNAME = /^(?:(?:path|posix)\.)?dirname$/;
const OF_MODULE = /^(?:require|import\.meta)\.resolve$/;
const SAME_PATH = /^(?:(?:url\.)?(?:fileURLToPath|pathToFileURL)|(?:(?:path|posix)\.)?normalize|String|realpathSync)$/;

function append({ path }: Folded, more: Folded | undefined): Folded {
  if (more !== undefined && !more.isOpen) return toClosed(path + more.path);
  const text = `${path}${more === undefined ? "" : `${more.path}/`}`;
  return { path: text.slice(0, Math.max(text.lastIndexOf("/"), 0)), isOpen: true };
}

function toClosed(path: string): Folded {
  return { path, isOpen: false };
}

/** Other names are those of packages. */
function isPath(name: string): boolean {
  return /^\.{0,2}\//.test(name);
}

/** As `new URL` does: beside a file, and in a folder whose name ends with a slash. */
function besides(base: string, name: string): string {
  return resolve(base.endsWith("/") ? base : dirname(base), name.replace(/^file:\/\//, ""));
}
