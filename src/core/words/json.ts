import type { Issue } from "../api/issue.ts";
import { SvcmError } from "../api/errors.ts";
import { decodeUtf8 } from "./utf8.ts";

const MAX_NAME_LENGTH = 80;

type JsonSource = "body" | "frame" | "request";

/** Error messages never quote the text, which may contain a secret. @throws {SvcmError} INVALID_PAYLOAD */
export function parseJson(bytes: Uint8Array, maxDepth: number, what: JsonSource = "body"): unknown {
  if (bytes.length === 0) throw invalid(`The ${what} is empty. Accepted: a JSON object.`);
  const text = decodeUtf8(bytes);
  if (text === undefined) throw invalid(`The ${what} is not UTF-8 text.`);
  const problem = scanJson(text, maxDepth);
  if (problem !== undefined) throw refusal(problem, maxDepth, what);
  return JSON.parse(text);
}

function refusal(problem: JsonProblem, maxDepth: number, what: JsonSource): SvcmError {
  switch (problem.kind) {
    case "syntax":
      return invalid(`The ${what} is not JSON at position ${problem.position}. Expected: ${problem.expected}.`);
    case "depth":
      return invalid(`The ${what} is nested deeper than ${maxDepth} levels, at position ${problem.position}.`);
    case "prototype":
      return invalid(
        `The ${what} has a member named __proto__: ${shortPath(problem.path).join(".")}. Accepted: any other name.`,
      );
    case "duplicates": {
      const issues = problem.paths.map(duplicateIssue);
      return invalid(issues.map(({ message }) => message).join("; "), issues);
    }
  }
}

function shortPath(path: JsonPath): (string | number)[] {
  return path.map((step) => (typeof step === "string" ? step.slice(0, MAX_NAME_LENGTH) : step));
}

function duplicateIssue(path: JsonPath): Issue {
  const shortened = shortPath(path);
  const message = `${shortened.join(".")} appears more than once; keep one`;
  return { code: "INPUT_DUPLICATE_MEMBER", severity: "error", path: shortened, message };
}

function invalid(details: string, issues?: readonly Issue[]): SvcmError {
  return new SvcmError("INVALID_PAYLOAD", { details, issues });
}

type JsonProblem =
  | { readonly kind: "syntax"; readonly position: number; readonly expected: string }
  | { readonly kind: "depth"; readonly position: number }
  | { readonly kind: "prototype"; readonly path: JsonPath }
  | { readonly kind: "duplicates"; readonly paths: readonly JsonPath[] };

type JsonPath = readonly (string | number)[];

const TOKEN =
  // oxlint-disable-next-line no-control-regex -- JSON forbids them in strings
  /[ \t\n\r]*([{}[\],:]|"(?:[^"\\\u0000-\u001F]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"|(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)(?![\w.+-]))/y;
const MAX_PATHS = 20;
/** As a member name, it would be lost or would replace the prototype of the object. */
const PROTOTYPE = "__proto__";

const EXPECTED = {
  value: "a value",
  "value or ]": "a value or ]",
  name: "a member in double quotes",
  "name or }": "a member in double quotes or }",
  ":": ":",
  ", or end": ", or the closing bracket",
} as const;
type Next = keyof typeof EXPECTED;

/**
 * Once, without recursion. Also finds too deep nesting, `__proto__` and duplicate members, which `JSON.parse` does not
 * report.
 */
export function scanJson(text: string, maxDepth = Number.POSITIVE_INFINITY): JsonProblem | undefined {
  return new Scan(text, maxDepth).run();
}

class Scan {
  readonly #text: string;
  readonly #maxDepth: number;
  readonly #open: { readonly names?: Set<string>; step: string | number }[] = [];
  readonly #duplicates: JsonPath[] = [];
  #prototype: JsonPath | undefined;
  #next: Next = "value";

  constructor(text: string, maxDepth: number) {
    this.#text = text;
    this.#maxDepth = maxDepth;
  }

  run(): JsonProblem | undefined {
    const token = new RegExp(TOKEN);
    let end = 0;
    for (let match = token.exec(this.#text); match?.[1] !== undefined; match = token.exec(this.#text)) {
      const position = token.lastIndex - match[1].length;
      if (!this.#accept(match[1])) return this.#syntaxProblem(position);
      if (this.#open.length > this.#maxDepth) return { kind: "depth", position };
      end = token.lastIndex;
    }
    const rest = /[^ \t\n\r]/g;
    rest.lastIndex = end;
    const stray = rest.exec(this.#text)?.index;
    if (stray !== undefined || !this.#isComplete) return this.#syntaxProblem(stray ?? this.#text.length);
    if (this.#prototype !== undefined) return { kind: "prototype", path: this.#prototype };
    return this.#duplicates.length > 0 ? { kind: "duplicates", paths: this.#duplicates } : undefined;
  }

  get #isComplete(): boolean {
    return this.#next === ", or end" && this.#open.length === 0;
  }

  #syntaxProblem(position: number): JsonProblem {
    return { kind: "syntax", position, expected: this.#isComplete ? "the end of the text" : EXPECTED[this.#next] };
  }

  #accept(token: string): boolean {
    switch (token) {
      case "{":
      case "[":
        return this.#begin(token);
      case "}":
      case "]":
        return this.#end(token);
      case ",":
        return this.#separate();
      case ":":
        return this.#advance(":", "value");
      default:
        return token.startsWith('"') && this.#next.startsWith("name") ? this.#name(token) : this.#value();
    }
  }

  #begin(token: "{" | "["): boolean {
    if (!this.#value()) return false;
    this.#open.push(token === "{" ? { names: new Set(), step: "" } : { step: 0 });
    this.#next = token === "{" ? "name or }" : "value or ]";
    return true;
  }

  #end(token: "}" | "]"): boolean {
    const container = this.#open.at(-1);
    const closesContainer = container !== undefined && (container.names === undefined) === (token === "]");
    if (!closesContainer || !(this.#next === ", or end" || this.#next.endsWith(token))) return false;
    this.#open.pop();
    this.#next = ", or end";
    return true;
  }

  #separate(): boolean {
    const container = this.#open.at(-1);
    if (container === undefined || this.#next !== ", or end") return false;
    if (typeof container.step === "number") container.step++;
    this.#next = container.names === undefined ? "value" : "name";
    return true;
  }

  #name(token: string): boolean {
    const container = this.#open.at(-1);
    const name = token.includes("\\") ? (JSON.parse(token) as string) : token.slice(1, -1);
    if (container?.names === undefined) return false;
    container.step = name;
    if (container.names.has(name) && this.#duplicates.length < MAX_PATHS) {
      this.#duplicates.push(this.#open.map(({ step }) => step));
    }
    if (name === PROTOTYPE) this.#prototype ??= this.#open.map(({ step }) => step);
    container.names.add(name);
    this.#next = ":";
    return true;
  }

  #value(): boolean {
    return this.#next.startsWith("value") && this.#advance(this.#next, ", or end");
  }

  #advance(from: Next, to: Next): boolean {
    if (this.#next !== from) return false;
    this.#next = to;
    return true;
  }
}
