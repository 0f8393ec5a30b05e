import {
  isMap,
  isNode,
  isPair,
  isScalar,
  isSeq,
  LineCounter,
  type Document,
  type Node,
  type Pair,
  type YAMLMap,
} from "yaml";
import { composeDocuments } from "./compose.ts";
import { isValid, sortIssues, type Issue, type Location } from "../api/issue.ts";
import type { YamlSource } from "./source.ts";
import { issueAt, TOO_DEEP, Walk } from "./walk.ts";

type Path = readonly (string | number)[];

export const PARSE_OPTIONS = {
  version: "1.2",
  schema: "core",
  merge: false,
  stringKeys: true,
  // The library's check takes quadratic time; the walk below finds duplicates.
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
    value: isValid(walk.issues) ? value : undefined,
    issues: sortIssues(walk.issues),
    at: (path, part = "value") => locate(offsetOf(document, path, part, index)),
    written: (path) => writtenAt(document, path, index),
  };
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

interface Index {
  readonly targets: ReadonlyMap<unknown, Node>;
  readonly pairs: Map<YAMLMap, Map<unknown, Pair>>;
}

function itemOf(parent: unknown, step: string | number, index: Index): unknown {
  const node = index.targets.get(parent) ?? parent;
  if (isMap(node)) return pairsOf(node, index).get(step);
  return isSeq(node) && typeof step === "number" ? node.items[step] : undefined;
}

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

/** The library's message omits the accepted values. */
function faultText(message: string): string {
  const [, tag] = /^Unresolved tag: (.*)$/s.exec(message) ?? [];
  if (tag !== undefined)
    return `the tag ${tag.replace("tag:yaml.org,2002:", "!!")} is not supported for this value; accepted: no tag`;
  return message.startsWith("Unsupported YAML version") ? `${message}; accepted: 1.2, or no %YAML line` : message;
}

function isNothing({ contents, errors }: Document.Parsed): boolean {
  if (!contents) return true;
  return errors.length === 0 && isScalar(contents) && contents.source === "" && contents.type === "PLAIN";
}

function startOf(node: unknown): number | undefined {
  return isNode(node) ? node.range?.[0] : undefined;
}

function unreadable(file: string, issue: Issue): YamlSource {
  const at = (): Location => issue.at ?? { file, line: 1, column: 1 };
  return { value: undefined, issues: [issue], at, written: () => undefined };
}
