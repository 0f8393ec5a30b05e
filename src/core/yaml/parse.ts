import type { Alias, Document, Node, Pair, ParseOptions, Scalar, YAMLMap } from "yaml";
import { Composer, Lexer, LineCounter, Parser, isAlias, isMap, isNode, isPair, isScalar, isSeq } from "yaml";
import { type Code, type Issue, type Location, MAX_FINDINGS, isValid, sortIssues } from "../api/issue.ts";
import type { Path, YamlSource } from "./source.ts";
import { yaml11Kind } from "./write.ts";

export const PARSE_OPTIONS = {
  version: "1.2",
  schema: "core",
  merge: false,
  stringKeys: true,
  // The library's check takes quadratic time; the converter below finds duplicates.
  uniqueKeys: false,
  resolveKnownTags: false,
  prettyErrors: false,
  logLevel: "error",
} as const;

/** Never throws: every problem, such as a duplicate key or a second document, becomes an issue with a location. */
export function parseYaml(text: string, file: string): YamlSource {
  const lineCounter = new LineCounter();
  const source = text.startsWith("\uFEFF") ? text.slice(1) : text;
  const { documents, tooDeep } = composeDocuments(source, { ...PARSE_OPTIONS, lineCounter });
  const locate = (offset: number): Location => {
    const { line, col } = lineCounter.linePos(offset);
    return { file, line: Math.max(line, 1), column: Math.max(col, 1) };
  };
  const [document, second] = documents;
  if (tooDeep !== undefined) return failedSource(file, issueAt("YAML_DEPTH", [], TOO_DEEP, locate(tooDeep)));
  if (!document || (isEmptyDocument(document) && !second))
    return failedSource(file, issueAt("YAML_EMPTY", [], "the file is empty", locate(0)));
  const converter = new NodeConverter(locate);
  for (const problem of [...document.errors, ...document.warnings]) {
    const code = problem.code === "TAG_RESOLVE_FAILED" ? "YAML_TAG" : "YAML_SYNTAX";
    converter.report(code, [], describeError(problem.message), problem.pos[0]);
  }
  if (second)
    converter.report("YAML_MULTIPLE_DOCUMENTS", [], "contains more than one document; accepted: one", second.range[0]);
  const index: Index = { targets: converter.targets, pairs: new Map() };
  const value = converter.issues.length === 0 ? converter.value(document.contents, [], 0) : undefined;
  return {
    value: isValid(converter.issues) ? value : undefined,
    issues: sortIssues(converter.issues),
    at: (path, part = "value") => locate(offsetOf(document, path, part, index)),
    scalarSource: (path) => scalarSourceAt(document, path, index),
  };
}

function offsetOf(document: Document.Parsed, path: Path, part: "key" | "value", index: Index): number {
  let node: unknown = document.contents;
  let offset = startOf(node) ?? 0;
  for (const [depth, step] of path.entries()) {
    const item = childOf(node, step, index);
    if (item === undefined) return offset;
    node = isPair(item) ? item.value : item;
    const wantsKey = part === "key" && depth === path.length - 1;
    offset = startOf(isPair(item) && (wantsKey || node === null) ? item.key : node) ?? offset;
  }
  return offset;
}

interface Index {
  readonly targets: ReadonlyMap<unknown, Node>;
  readonly pairs: Map<YAMLMap, Map<unknown, Pair>>;
}

function childOf(parent: unknown, step: string | number, index: Index): unknown {
  const node = index.targets.get(parent) ?? parent;
  if (isMap(node)) return pairsOf(node, index).get(step);
  return isSeq(node) && typeof step === "number" ? node.items[step] : undefined;
}

function pairsOf(map: YAMLMap, index: Index): Map<unknown, Pair> {
  const existing = index.pairs.get(map);
  if (existing) return existing;
  const pairs = new Map<unknown, Pair>();
  for (const pair of map.items) if (isScalar(pair.key) && !pairs.has(pair.key.value)) pairs.set(pair.key.value, pair);
  index.pairs.set(map, pairs);
  return pairs;
}

function scalarSourceAt(document: Document.Parsed, path: Path, index: Index): string | undefined {
  let node: unknown = document.contents;
  for (const step of path) {
    const item = childOf(node, step, index);
    node = isPair(item) ? item.value : item;
  }
  return isScalar(node) ? node.source : undefined;
}

/** The library's message omits the accepted values. */
function describeError(message: string): string {
  const [, tag] = /^Unresolved tag: (.*)$/s.exec(message) ?? [];
  if (tag !== undefined)
    return `the tag ${tag.replace("tag:yaml.org,2002:", "!!")} is not supported for this value; accepted: no tag`;
  return message.startsWith("Unsupported YAML version") ? `${message}; accepted: 1.2, or no %YAML line` : message;
}

function isEmptyDocument({ contents, errors }: Document.Parsed): boolean {
  if (!contents) return true;
  return errors.length === 0 && isScalar(contents) && contents.source === "" && contents.type === "PLAIN";
}

function startOf(node: unknown): number | undefined {
  return isNode(node) ? node.range?.[0] : undefined;
}

function failedSource(file: string, issue: Issue): YamlSource {
  const at = (): Location => issue.at ?? { file, line: 1, column: 1 };
  return { value: undefined, issues: [issue], at, scalarSource: () => undefined };
}

type Options = ConstructorParameters<typeof Composer>[0] & ParseOptions & { readonly lineCounter: LineCounter };

export interface ComposedDocuments {
  readonly documents: readonly Document.Parsed[];
  readonly tooDeep: number | undefined;
}

/** A later step checks the exact limit. */
const MAX_OPEN_COLLECTIONS = 100;

/** The library's `parseAllDocuments` does not stop early at hostile text. */
export function composeDocuments(text: string, options: Options): ComposedDocuments {
  const documents: Document.Parsed[] = [];
  let tooDeep: number | undefined;
  const stopAt = (offset: number, open: number): boolean => {
    if (open > MAX_OPEN_COLLECTIONS) tooDeep = offset;
    return open > MAX_OPEN_COLLECTIONS;
  };
  withoutStackTraces(() => {
    for (const document of new Composer(options).compose(parseTokens(text, options.lineCounter, stopAt))) {
      documents.push(document);
      if (documents.length === 2) break;
    }
  });
  return { documents, tooDeep };
}

function* parseTokens(text: string, lineCounter: LineCounter, stopAt: (offset: number, depth: number) => boolean) {
  lineCounter.addNewLine(0);
  const parser = new Parser(lineCounter.addNewLine);
  for (const lexeme of new Lexer().lex(text)) {
    yield* parser.next(lexeme);
    // The library closes open collections recursively.
    if (stopAt(parser.offset, parser.stack.length)) return;
  }
  yield* parser.end();
}

/** Stack traces cause most of the cost of the library's errors. */
function withoutStackTraces(run: () => void): void {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    run();
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

const MAX_DEPTH = 16;
const TOO_DEEP = `is nested deeper than ${MAX_DEPTH} levels`;
/** Each issue repeats its path, which could be long. */
const MAX_KEY_LENGTH = 80;
const MAX_ALIASED_NODES = 10_000;
const MAX_ALIASED_CHARACTERS = 1_000_000;
const ALIASES_TOO_LARGE = "aliases expand to too much";

/** Converts nodes to plain data. The library's own conversion takes minutes on hostile input. */
class NodeConverter {
  readonly issues: Issue[] = [];
  readonly #locate: (offset: number) => Location;
  readonly #anchors = new Map<string, Node>();
  /** The anchor that each alias refers to, which is the last one of its name before it. */
  readonly targets = new Map<unknown, Node>();
  readonly #open = new Set<Node>();
  #aliasedNodes = 0;
  #aliasedCharacters = 0;
  #aliasDepth = 0;

  constructor(locate: (offset: number) => Location) {
    this.#locate = locate;
  }

  report(code: Code, path: Path, message: string, offset: number): void {
    if (this.#hasRoom()) this.issues.push(issueAt(code, path, message, this.#locate(offset)));
  }

  #warn(code: Code, path: Path, message: string, offset: number): void {
    if (this.#hasRoom()) {
      this.issues.push({ ...issueAt(code, path, message, this.#locate(offset)), severity: "warning" });
    }
  }

  #hasRoom(): boolean {
    if (this.issues.length < MAX_FINDINGS) return true;
    const message = `more than ${MAX_FINDINGS} issues; some of them are listed`;
    if (this.issues.length === MAX_FINDINGS)
      this.issues.push(issueAt("YAML_TOO_MANY_ISSUES", [], message, this.#locate(0)));
    return false;
  }

  value(node: Node | null, path: Path, depth: number): unknown {
    if (node === null) return null;
    const offset = node.range?.[0] ?? 0;
    if (depth > MAX_DEPTH) return this.report("YAML_DEPTH", path, TOO_DEEP, offset);
    if (this.#aliasDepth > 0 && ++this.#aliasedNodes > MAX_ALIASED_NODES) {
      if (this.#aliasedNodes === MAX_ALIASED_NODES + 1) this.report("YAML_ALIAS", path, ALIASES_TOO_LARGE, offset);
      return undefined;
    }
    if (isAlias(node)) return this.#alias(node, path, depth, offset);
    if (node.anchor !== undefined && this.#aliasDepth === 0) this.#anchors.set(node.anchor, node);
    this.#open.add(node);
    const value = this.#contents(node, path, depth);
    this.#open.delete(node);
    return value;
  }

  #contents(node: Node, path: Path, depth: number): unknown {
    if (isScalar(node)) return this.#scalar(node, path);
    if (isSeq(node)) return node.items.map((item, index) => this.value(item as Node, [...path, index], depth + 1));
    if (isMap(node)) return this.#map(node, path, depth);
    return undefined;
  }

  #scalar(node: Scalar, path: Path): unknown {
    const { value, type, source = "", range } = node;
    const elsewhere = type === "PLAIN" && typeof value === "string" ? yaml11Kind(source) : undefined;
    if (elsewhere !== undefined) {
      const message = `${source} is text in YAML 1.2, but ${elsewhere} in YAML 1.1; quote it`;
      this.#warn("YAML_AMBIGUOUS", path, message, range?.[0] ?? 0);
    }
    return value;
  }

  #map(map: YAMLMap, path: Path, depth: number): Record<string, unknown> {
    const result: Record<string, unknown> = {};
    const seen = new Map<string, number>();
    for (const pair of map.items as Pair<Scalar<string>, Node | null>[]) {
      const key = pair.key.value;
      const offset = pair.key.range?.[0] ?? 0;
      const first = seen.get(key);
      if (first !== undefined) {
        const { line, column } = this.#locate(first);
        this.report("YAML_DUPLICATE_KEY", [...path, key], `"${key}" appears twice, first at ${line}:${column}`, offset);
      } else if (key === "__proto__" || key === "<<") {
        this.report("YAML_KEY", [...path, key], `"${key}" is not accepted as a key`, offset);
      } else {
        seen.set(key, offset);
        result[key] = this.value(pair.value, [...path, key], depth + 1);
      }
    }
    return result;
  }

  #alias(alias: Alias, path: Path, depth: number, offset: number): unknown {
    const { source: name } = alias;
    const target = this.targets.get(alias) ?? this.#anchors.get(name);
    if (!target) return this.report("YAML_ALIAS", path, `*${name} has no anchor before it`, offset);
    if (this.#open.has(target)) return this.report("YAML_ALIAS", path, `*${name} contains itself`, offset);
    this.targets.set(alias, target);
    if (this.#aliasedCharacters > MAX_ALIASED_CHARACTERS) return undefined;
    const [start, end] = target.range ?? [0, 0];
    this.#aliasedCharacters += end - start;
    if (this.#aliasedCharacters > MAX_ALIASED_CHARACTERS)
      return this.report("YAML_ALIAS", path, ALIASES_TOO_LARGE, offset);
    this.#aliasDepth++;
    const value = this.value(target, path, depth);
    this.#aliasDepth--;
    return value;
  }
}

function issueAt(code: Code, path: Path, message: string, at: Location): Issue {
  const shortPath = path.map((step) => (typeof step === "string" ? step.slice(0, MAX_KEY_LENGTH) : step));
  return { code, severity: "error", path: shortPath, message, at };
}
