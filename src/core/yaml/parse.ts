import {
  isAlias,
  isMap,
  isNode,
  isPair,
  isScalar,
  isSeq,
  LineCounter,
  type Alias,
  type Document,
  type Node,
  type Pair,
  type Scalar,
  type YAMLMap,
} from "yaml";
import { composeDocuments } from "./compose.ts";
import { kindElsewhere } from "./elsewhere.ts";
import { isValid, MAX_ISSUES, sortIssues, type Issue, type Location } from "../api/issue.ts";
import type { YamlSource } from "./source.ts";

type Path = readonly (string | number)[];

const MAX_DEPTH = 16;
const TOO_DEEP = `is nested deeper than ${MAX_DEPTH} levels`;
/** Each issue repeats its path. */
const MAX_SHOWN_KEY = 80;
const MAX_ALIASED_NODES = 10_000;
/** Characters of the repeated text. */
const MAX_ALIASED_CHARACTERS = 1_000_000;
const TOO_MUCH = "aliases expand to too much";

export const PARSE_OPTIONS = {
  version: "1.2",
  schema: "core",
  merge: false,
  stringKeys: true,
  // Quadratic in the library; the walk finds duplicates.
  uniqueKeys: false,
  resolveKnownTags: false,
  prettyErrors: false,
  logLevel: "error",
} as const;

/**
 * Parses one strict YAML 1.2 document. Never throws: syntax errors, duplicate keys, bad aliases, merge keys, unknown
 * tags, deep nesting and a second document are issues with positions.
 */
export function parseYaml(text: string, file: string): YamlSource {
  const lineCounter = new LineCounter();
  const source = text.startsWith("\uFEFF") ? text.slice(1) : text;
  const { documents, tooDeep } = composeDocuments(source, { ...PARSE_OPTIONS, lineCounter });
  const locate = (offset: number): Location => {
    const { line, col } = lineCounter.linePos(offset);
    return { file, line: Math.max(line, 1), column: Math.max(col, 1) };
  };
  const [document, second] = documents;
  if (tooDeep !== undefined) return unreadable(file, issueAt("YAML_DEPTH", [], TOO_DEEP, locate(tooDeep)));
  if (!document || (isNothing(document) && !second))
    return unreadable(file, issueAt("YAML_EMPTY", [], "the file is empty", locate(0)));
  const walk = new Walk(locate);
  for (const problem of [...document.errors, ...document.warnings]) {
    const code = problem.code === "TAG_RESOLVE_FAILED" ? "YAML_TAG" : "YAML_SYNTAX";
    walk.report(code, [], faultText(problem.message), problem.pos[0]);
  }
  if (second)
    walk.report("YAML_MULTIPLE_DOCUMENTS", [], "contains more than one document; accepted: one", second.range[0]);
  const index: Index = { targets: walk.targets, pairs: new Map() };
  const value = walk.issues.length === 0 ? walk.value(document.contents, [], 0) : undefined;
  return {
    file,
    value: isValid(walk.issues) ? value : undefined,
    issues: sortIssues(walk.issues),
    at: (path, part = "value") => locate(offsetOf(document, path, part, index)),
    written: (path) => writtenAt(document, path, index),
  };
}

/** Reads nodes into plain data. The library's own conversion takes minutes on hostile input. */
class Walk {
  readonly issues: Issue[] = [];
  readonly #locate: (offset: number) => Location;
  readonly #anchors = new Map<string, Node>();
  /** The node of each alias: the last anchor of its name before it. */
  readonly targets = new Map<unknown, Node>();
  readonly #open = new Set<Node>();
  #aliasedNodes = 0;
  #aliasedCharacters = 0;
  #aliasDepth = 0;

  constructor(locate: (offset: number) => Location) {
    this.#locate = locate;
  }

  report(code: string, path: Path, message: string, offset: number): void {
    if (this.#hasRoom()) this.issues.push(issueAt(code, path, message, this.#locate(offset)));
  }

  #warn(code: string, path: Path, message: string, offset: number): void {
    if (this.#hasRoom()) {
      this.issues.push({ ...issueAt(code, path, message, this.#locate(offset)), severity: "warning" });
    }
  }

  /** Once the list is full, one last issue says so. */
  #hasRoom(): boolean {
    if (this.issues.length < MAX_ISSUES) return true;
    const message = `more than ${MAX_ISSUES} issues; some of them are listed`;
    if (this.issues.length === MAX_ISSUES)
      this.issues.push(issueAt("YAML_TOO_MANY_ISSUES", [], message, this.#locate(0)));
    return false;
  }

  value(node: Node | null, path: Path, depth: number): unknown {
    if (node === null) return null;
    const offset = node.range?.[0] ?? 0;
    if (depth > MAX_DEPTH) return this.report("YAML_DEPTH", path, TOO_DEEP, offset);
    if (this.#aliasDepth > 0 && ++this.#aliasedNodes > MAX_ALIASED_NODES) {
      if (this.#aliasedNodes === MAX_ALIASED_NODES + 1) this.report("YAML_ALIAS", path, TOO_MUCH, offset);
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
    const elsewhere = type === "PLAIN" && typeof value === "string" ? kindElsewhere(source) : undefined;
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
    if (this.#aliasedCharacters > MAX_ALIASED_CHARACTERS) return this.report("YAML_ALIAS", path, TOO_MUCH, offset);
    this.#aliasDepth++;
    const value = this.value(target, path, depth);
    this.#aliasDepth--;
    return value;
  }
}

function offsetOf(document: Document.Parsed, path: Path, part: "key" | "value", index: Index): number {
  let node: unknown = document.contents;
  let offset = startOf(node) ?? 0;
  for (const [depth, step] of path.entries()) {
    const item = itemOf(node, step, index);
    if (item === undefined) return offset;
    node = isPair(item) ? item.value : item;
    const isKeyAsked = part === "key" && depth === path.length - 1;
    offset = startOf(isPair(item) && (isKeyAsked || node === null) ? item.key : node) ?? offset;
  }
  return offset;
}

/** Indexes for a search by path: the nodes of aliases, and pairs by key. */
interface Index {
  readonly targets: ReadonlyMap<unknown, Node>;
  readonly pairs: Map<YAMLMap, Map<unknown, Pair>>;
}

function itemOf(parent: unknown, step: string | number, index: Index): unknown {
  const node = index.targets.get(parent) ?? parent;
  if (isMap(node)) return pairsOf(node, index).get(step);
  return isSeq(node) && typeof step === "number" ? node.items[step] : undefined;
}

/** The first pair of each key. */
function pairsOf(map: YAMLMap, index: Index): Map<unknown, Pair> {
  const known = index.pairs.get(map);
  if (known) return known;
  const pairs = new Map<unknown, Pair>();
  for (const pair of map.items) if (isScalar(pair.key) && !pairs.has(pair.key.value)) pairs.set(pair.key.value, pair);
  index.pairs.set(map, pairs);
  return pairs;
}

function writtenAt(document: Document.Parsed, path: Path, index: Index): string | undefined {
  let node: unknown = document.contents;
  for (const step of path) {
    const item = itemOf(node, step, index);
    node = isPair(item) ? item.value : item;
  }
  return isScalar(node) ? node.source : undefined;
}

/** The library's words, with what is accepted if they leave that out. */
function faultText(message: string): string {
  const [, tag] = /^Unresolved tag: (.*)$/s.exec(message) ?? [];
  if (tag !== undefined)
    return `the tag ${tag.replace("tag:yaml.org,2002:", "!!")} is not supported for this value; accepted: no tag`;
  return message.startsWith("Unsupported YAML version") ? `${message}; accepted: 1.2, or no %YAML line` : message;
}

/** Nothing but comments and document markers. */
function isNothing({ contents, errors }: Document.Parsed): boolean {
  if (!contents) return true;
  return errors.length === 0 && isScalar(contents) && contents.source === "" && contents.type === "PLAIN";
}

function startOf(node: unknown): number | undefined {
  return isNode(node) ? node.range?.[0] : undefined;
}

function unreadable(file: string, issue: Issue): YamlSource {
  const at = (): Location => issue.at ?? { file, line: 1, column: 1 };
  return { file, value: undefined, issues: [issue], at, written: () => undefined };
}

function issueAt(code: string, path: Path, message: string, at: Location): Issue {
  const shown = path.map((step) => (typeof step === "string" ? step.slice(0, MAX_SHOWN_KEY) : step));
  return { code, severity: "error", path: shown, message, at };
}
