import { type Code, MAX_FINDINGS, type Issue, type Location } from "../api/issue.ts";
import { isAlias, isMap, isScalar, isSeq, type Alias, type Node, type Pair, type Scalar, type YAMLMap } from "yaml";
import type { Path } from "./source.ts";
import { yaml11Kind } from "./yaml11.ts";

const MAX_DEPTH = 16;
export const TOO_DEEP = `is nested deeper than ${MAX_DEPTH} levels`;
/** Each issue repeats its path, which could be long. */
const MAX_KEY_LENGTH = 80;
const MAX_ALIASED_NODES = 10_000;
const MAX_ALIASED_CHARACTERS = 1_000_000;
const ALIASES_TOO_LARGE = "aliases expand to too much";

/** Converts nodes to plain data. The library's own conversion takes minutes on hostile input. */
export class NodeConverter {
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

export function issueAt(code: Code, path: Path, message: string, at: Location): Issue {
  const shortPath = path.map((step) => (typeof step === "string" ? step.slice(0, MAX_KEY_LENGTH) : step));
  return { code, severity: "error", path: shortPath, message, at };
}
