import {
  isAlias,
  isMap,
  isNode,
  isPair,
  isScalar,
  isSeq,
  LineCounter,
  parseAllDocuments,
  type Document,
  type Node,
  type Pair,
  type Scalar,
  type YAMLMap,
} from "yaml";
import { isValid, sortIssues, type Issue, type Location } from "../contract/issue.ts";

/** A YAML (or JSON) text as plain data, with the place of everything in it. */
export interface YamlSource {
  readonly file: string;
  /** Plain objects, arrays, strings, numbers, booleans and null. `undefined` where errors say why. */
  readonly value: unknown;
  /** Everything that makes the text unreadable (errors) or ambiguous (warnings), sorted. */
  readonly issues: readonly Issue[];
  /** Where a path stands; the nearest ancestor where the path itself is absent. */
  at(path: readonly (string | number)[], part?: "key" | "value"): Location;
  /** A scalar as it is written, for example `1.10` where the value is the number 1.1. */
  written(path: readonly (string | number)[]): string | undefined;
}

type Path = readonly (string | number)[];

const MAX_DEPTH = 16;
const MAX_ALIASED_NODES = 10_000;
const BOOLEAN_ELSEWHERE = /^(?:y|yes|n|no|on|off)$/i;

export const PARSE_OPTIONS = {
  version: "1.2",
  schema: "core",
  merge: false,
  stringKeys: true,
  // Quadratic in the library; duplicates are found by the walk below.
  uniqueKeys: false,
  resolveKnownTags: false,
  prettyErrors: false,
  logLevel: "error",
} as const;

/**
 * Parses one strict YAML 1.2 document. Never throws: duplicate keys, undefined or recursive
 * aliases, merge keys, unknown tags, deep nesting and several documents are issues with positions.
 */
export function parseYaml(text: string, file: string): YamlSource {
  const lineCounter = new LineCounter();
  const source = text.startsWith("\uFEFF") ? text.slice(1) : text;
  const documents = parseAllDocuments(source, { ...PARSE_OPTIONS, lineCounter });
  const locate = (offset: number): Location => {
    const { line, col } = lineCounter.linePos(offset);
    return { file, line: Math.max(line, 1), column: Math.max(col, 1) };
  };
  const [document, second] = Array.isArray(documents) ? documents : [];
  if (!document?.contents) return unreadable(file, issueAt("YAML_EMPTY", [], "the file is empty", locate(0)));
  const walk = new Walk(locate);
  for (const problem of [...document.errors, ...document.warnings]) {
    walk.report(
      problem.code === "TAG_RESOLVE_FAILED" ? "YAML_TAG" : "YAML_SYNTAX",
      [],
      problem.message,
      problem.pos[0],
    );
  }
  if (second)
    walk.report("YAML_MULTIPLE_DOCUMENTS", [], "holds more than one document; accepted: one", second.range[0]);
  const value = walk.issues.length === 0 ? walk.value(document.contents, [], 0) : undefined;
  return {
    file,
    value: isValid(walk.issues) ? value : undefined,
    issues: sortIssues(walk.issues),
    at: (path, part = "value") => locate(offsetOf(document, path, part)),
    written: (path) => writtenAt(document, path),
  };
}

/** Reads a document's nodes into plain data: own walk, since the library's takes minutes on hostile input. */
class Walk {
  readonly issues: Issue[] = [];
  readonly #locate: (offset: number) => Location;
  readonly #anchors = new Map<string, Node>();
  readonly #open = new Set<Node>();
  #aliasedNodes = 0;
  #aliasDepth = 0;

  constructor(locate: (offset: number) => Location) {
    this.#locate = locate;
  }

  report(code: string, path: Path, message: string, offset: number): void {
    this.issues.push(issueAt(code, path, message, this.#locate(offset)));
  }

  #warn(code: string, path: Path, message: string, offset: number): void {
    this.issues.push({ ...issueAt(code, path, message, this.#locate(offset)), severity: "warning" });
  }

  value(node: Node | null, path: Path, depth: number): unknown {
    if (node === null) return null;
    const offset = node.range?.[0] ?? 0;
    if (depth > MAX_DEPTH) return this.report("YAML_DEPTH", path, `is nested deeper than ${MAX_DEPTH} levels`, offset);
    if (this.#aliasDepth > 0 && ++this.#aliasedNodes > MAX_ALIASED_NODES) {
      if (this.#aliasedNodes === MAX_ALIASED_NODES + 1)
        this.report("YAML_ALIAS", path, "aliases expand to too much", offset);
      return undefined;
    }
    if (isAlias(node)) return this.#alias(node.source, path, depth, offset);
    if (node.anchor !== undefined) this.#anchors.set(node.anchor, node);
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
    if (type === "PLAIN" && typeof value === "string" && BOOLEAN_ELSEWHERE.test(source)) {
      const message = `${source} is text here, and a boolean to readers of YAML 1.1; quote it`;
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
        this.report("YAML_DUPLICATE_KEY", [...path, key], `"${key}" stands twice, first at ${line}:${column}`, offset);
      } else if (key === "__proto__" || key === "<<") {
        this.report("YAML_KEY", [...path, key], `"${key}" is not accepted as a key`, offset);
      } else {
        seen.set(key, offset);
        result[key] = this.value(pair.value, [...path, key], depth + 1);
      }
    }
    return result;
  }

  #alias(name: string, path: Path, depth: number, offset: number): unknown {
    const target = this.#anchors.get(name);
    if (!target) return this.report("YAML_ALIAS", path, `*${name} has no anchor before it`, offset);
    if (this.#open.has(target)) return this.report("YAML_ALIAS", path, `*${name} contains itself`, offset);
    this.#aliasDepth++;
    const value = this.value(target, path, depth);
    this.#aliasDepth--;
    return value;
  }
}

function offsetOf(document: Document.Parsed, path: Path, part: "key" | "value"): number {
  let node: unknown = document.contents;
  let offset = startOf(node) ?? 0;
  for (const [index, step] of path.entries()) {
    const item = itemOf(isAlias(node) ? node.resolve(document) : node, step);
    if (item === undefined) return offset;
    node = isPair(item) ? item.value : item;
    const isKeyAsked = part === "key" && index === path.length - 1;
    offset = startOf(isPair(item) && (isKeyAsked || node === null) ? item.key : node) ?? offset;
  }
  return offset;
}

function itemOf(node: unknown, step: string | number): unknown {
  if (isMap(node)) return node.items.find(({ key }) => isScalar(key) && key.value === step);
  return isSeq(node) && typeof step === "number" ? node.items[step] : undefined;
}

function writtenAt(document: Document.Parsed, path: Path): string | undefined {
  let node: unknown = document.contents;
  for (const step of path) {
    const item = itemOf(isAlias(node) ? node.resolve(document) : node, step);
    node = isPair(item) ? item.value : item;
  }
  return isScalar(node) ? node.source : undefined;
}

function startOf(node: unknown): number | undefined {
  return isNode(node) ? node.range?.[0] : undefined;
}

function unreadable(file: string, issue: Issue): YamlSource {
  const at = (): Location => issue.at ?? { file, line: 1, column: 1 };
  return { file, value: undefined, issues: [issue], at, written: () => undefined };
}

function issueAt(code: string, path: Path, message: string, at: Location): Issue {
  return { code, severity: "error", path, message, at };
}
