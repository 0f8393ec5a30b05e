import ts from "typescript";

export interface Prose {
  readonly kind: "comment" | "message" | "title" | "heading" | "paragraph";
  readonly text: string;
  readonly line: number;
}

const lineAt = (source: string, offset: number): number => source.slice(0, offset).split("\n").length;

/** Code and quoted names count as one word each, because they are not our prose. */
const plain = (text: string): string =>
  text
    .replace(/``[^\n]*?``|`[^`]*`/g, "`X`")
    .replace(/"[^"\n]{1,60}"|“[^”\n]{1,60}”/g, '"X"')
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replace(/https?:\/\/\S+/g, "X");

/** Splits text that begins at `line` into paragraphs: at empty lines, list items and docstring tags. */
function paragraphs(kind: Prose["kind"], text: string, line: number): Prose[] {
  const found: { text: string; line: number }[] = [];
  let open = false;
  for (const [index, row] of text.split("\n").entries()) {
    const begins = /^\s*(?:[-*+]|\d+[.)]|@\w+)\s+/.exec(row)?.[0];
    const words = row.slice(begins?.length ?? 0).trim();
    const last = found.at(-1);
    if (words === "") open = false;
    else if (open && last && begins === undefined) last.text += ` ${words}`;
    else {
      found.push({ text: words, line: line + index });
      open = true;
    }
  }
  return found.map((each) => ({ kind, text: plain(each.text), line: each.line }));
}

export function markdownProse(source: string): Prose[] {
  const hidden = source
    .replace(/<!--[\s\S]*?-->/g, blank)
    .replace(/^([ \t]*)(```+|~~~+)[^\n]*\n[\s\S]*?^\1\2[ \t]*$/gm, blank)
    .replace(/<[^<>\n]+>/g, " ");
  return hidden.split(/^(?=#)|(?<=^#.*\n)/gm).flatMap(fromMarkdownAt());
}

const blank = (text: string): string => text.replace(/[^\n]/g, "");

/** Each cell of a table is a paragraph; a heading is one line. */
function fromMarkdownAt() {
  let line = 1;
  return (part: string): Prose[] => {
    const first = line;
    line += part.split("\n").length - 1;
    if (part.startsWith("#")) return [{ kind: "heading", text: plain(part.replace(/^#+/, "").trim()), line: first }];
    const cells = part.replace(/^[ \t>]*\|(.*)\|[ \t]*$/gm, (_, row: string) => `- ${row.replace(/\\\||\|/g, " . ")}`);
    return paragraphs("paragraph", cells.replace(/^[ \t]*>/gm, ""), first);
  };
}

export function typescriptProse(path: string, source: string, messages: boolean): Prose[] {
  const file = ts.createSourceFile(path, source, ts.ScriptTarget.Latest, true);
  const opaque: [number, number][] = [];
  const found: Prose[] = [];
  const visit = (node: ts.Node): void => {
    if (isOpaque(node)) opaque.push([node.getStart(file), node.end]);
    const kind = kindOf(node, messages);
    const text = kind && textOf(node);
    if (kind && text && /\p{L}\S* +\S*\p{L}/u.test(text))
      found.push(...paragraphs(kind, text, lineAt(source, node.getStart(file))));
    ts.forEachChild(node, visit);
  };
  visit(file);
  return [...found, ...comments(source, opaque)];
}

export interface DeclaredName {
  readonly name: string;
  readonly line: number;
}

/** The names of variables, parameters, functions, types and members. */
export function declaredNames(path: string, source: string): DeclaredName[] {
  const file = ts.createSourceFile(path, source, ts.ScriptTarget.Latest, true);
  const found: DeclaredName[] = [];
  const visit = (node: ts.Node): void => {
    const { name } = node as { readonly name?: ts.Node };
    const isDeclared = name !== undefined && (ts.isIdentifier(name) || ts.isPrivateIdentifier(name));
    if (isDeclared && !ts.isPropertyAccessExpression(node))
      found.push({ name: name.text, line: lineAt(source, name.getStart(file)) });
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

const isOpaque = (node: ts.Node): boolean =>
  ts.isStringLiteralLike(node) ||
  ts.isRegularExpressionLiteral(node) ||
  ts.isJsxText(node) ||
  ts.isTemplateHead(node) ||
  ts.isTemplateMiddleOrTemplateTail(node);

function kindOf(node: ts.Node, messages: boolean): "message" | "title" | undefined {
  if (ts.isSourceFile(node)) return undefined;
  if (isTitle(node)) return "title";
  if (!messages || isAttribute(node) || ts.isTaggedTemplateExpression(node.parent)) return undefined;
  return ts.isStringLiteralLike(node) || ts.isTemplateExpression(node) || ts.isJsxText(node) ? "message" : undefined;
}

/** A message with placeholders is read as a sentence with a word in each placeholder. */
function textOf(node: ts.Node): string | undefined {
  if (ts.isTemplateExpression(node))
    return node.head.text + node.templateSpans.map((span) => `X${span.literal.text}`).join("");
  return ts.isStringLiteralLike(node) || ts.isJsxText(node) ? node.text : undefined;
}

const isAttribute = (node: ts.Node): boolean =>
  ts.isImportDeclaration(node.parent) ||
  (ts.isJsxAttribute(node.parent) && /^(?:class|className|d|viewBox)$/.test(node.parent.name.getText()));

function isTitle(node: ts.Node): boolean {
  const call = node.parent;
  if (!ts.isCallExpression(call) || call.arguments[0] !== node) return false;
  return /^(?:test|it|describe)\b/.test(call.expression.getText());
}

/** Outside of literals, two slashes, or a slash and an asterisk, always begin a comment. */
function comments(source: string, opaque: readonly [number, number][]): Prose[] {
  let code = source;
  for (const [start, end] of opaque) code = code.slice(0, start) + hide(code.slice(start, end)) + code.slice(end);
  const found = code.matchAll(/\/\*[\s\S]*?\*\/|\/\/[^\n]*(?:\n[ \t]*\/\/[^\n]*)*/g);
  return Array.from(found, ({ 0: text, index }) => ({ text, line: lineAt(source, index) }))
    .filter(({ text }) => !/^\/[/*]+\s*(?:@ts-|oxlint-|oxfmt-|eslint-|v8 |#|<reference)/.test(text))
    .flatMap(({ text, line }) => paragraphs("comment", text.replace(/^\/\*+|\*+\/$|^[ \t]*(?:\/\/+|\*)/gm, ""), line));
}

const hide = (text: string): string => text.replace(/[^\n]/g, " ");
