/** The apps of an ecosystem file that is a program: read from its syntax tree, not run. */
import { parse, type AnyNode, type Expression, type ObjectExpression, type Options } from "acorn";

/** An object literal with a script. */
export interface ScriptApp {
  readonly script: Written;
  readonly name: Written | undefined;
  readonly cwd: Written | undefined;
  readonly args: Written | undefined;
  readonly ports: readonly string[];
  /** Its name may be in a spread object or in a variable `name`. */
  readonly hasHiddenName: boolean;
}

/** An expression. */
export interface Written {
  readonly source: string;
  /** The strings in it, in their order, without what a template computes. */
  readonly texts: readonly string[];
  /** The value, if it is a string and nothing else. */
  readonly text: string | undefined;
}

const OPTIONS: Options = {
  ecmaVersion: "latest",
  allowHashBang: true,
  allowReturnOutsideFunction: true,
  allowAwaitOutsideFunction: true,
};
const SCRIPTS = ["script", "cmd", "exec"];
const PORT = /^(?:PORT|port|SVC_(?:HTTP|REST)_PORT)$/;

/** Returns no app if the text is not a program. JSON with comments is an expression. */
export function scriptApps(text: string, isJson: boolean): ScriptApp[] {
  const source = isJson ? `(${text}\n)` : text;
  const tree = parseProgram(source);
  return tree === undefined ? [] : [...objectsIn(tree)].flatMap((object) => appOf(object, source) ?? []);
}

function parseProgram(source: string): AnyNode | undefined {
  for (const sourceType of ["script", "module"] as const) {
    try {
      return parse(source, { ...OPTIONS, sourceType });
    } catch (error) {
      // A RangeError ends a text that is nested too deeply.
      if (!(error instanceof SyntaxError || error instanceof RangeError)) throw error;
    }
  }
  return undefined;
}

function appOf(object: ObjectExpression, source: string): ScriptApp | undefined {
  const values = new Map<string, Expression>();
  let hasHiddenName = false;
  for (const property of object.properties) {
    if (property.type === "SpreadElement") hasHiddenName = true;
    else if (property.shorthand && keyOf(property.key) === "name") hasHiddenName = true;
    else if (!property.computed) values.set(keyOf(property.key) ?? "", property.value);
  }
  const written = (name: string): Written | undefined => {
    const value = values.get(name);
    return value && writtenOf(value, source);
  };
  const script = SCRIPTS.map(written).find((value) => value !== undefined);
  if (script === undefined) return undefined;
  const own = { name: written("name"), cwd: written("cwd"), args: written("args") };
  return { script, ...own, ports: portsIn(object), hasHiddenName };
}

function writtenOf(value: Expression, source: string): Written {
  const texts = [...nodesIn(value)].flatMap((node) =>
    node.type === "Literal" && typeof node.value === "string"
      ? [node.value]
      : node.type === "TemplateElement"
        ? [node.value.cooked ?? ""]
        : [],
  );
  const isText =
    (value.type === "Literal" && typeof value.value === "string") ||
    (value.type === "TemplateLiteral" && value.expressions.length === 0);
  return { source: source.slice(value.start, value.end), texts, text: isText ? texts[0] : undefined };
}

function portsIn(object: ObjectExpression): string[] {
  const found = [...nodesIn(object)].flatMap((node) =>
    node.type === "Property" && PORT.test(keyOf(node.key) ?? "") && node.value.type === "Literal"
      ? [String(node.value.value)]
      : [],
  );
  return [...new Set(found.filter((port) => /^\d{2,5}$/.test(port)))];
}

function keyOf(key: AnyNode): string | undefined {
  if (key.type === "Identifier") return key.name;
  return key.type === "Literal" ? String(key.value) : undefined;
}

function* objectsIn(tree: AnyNode): Generator<ObjectExpression> {
  for (const node of nodesIn(tree)) if (node.type === "ObjectExpression") yield node;
}

/** In the order of the text. */
function* nodesIn(root: AnyNode): Generator<AnyNode> {
  const open = [root];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    yield node;
    open.push(...(Object.values(node) as unknown[]).flat().filter(isNode).toReversed());
  }
}

function isNode(value: unknown): value is AnyNode {
  return typeof value === "object" && value !== null && "type" in value && "start" in value;
}
