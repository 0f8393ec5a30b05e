import type { YamlSource } from "./source.ts";

/** White space, then one token of JSON. */
const TOKEN =
  // oxlint-disable-next-line no-control-regex -- a text of JSON holds none
  /[ \t\n\r]*(?:(?<mark>[{}[\],:])|(?<text>"(?:[^"\\\u0000-\u001F]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*")|(?<other>(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?|true|false|null)(?![\w.+-])))/y;

/** What may come next. A state that ends in `?` lets its bracket close at once. */
type State = "value" | "value?" | "key" | "key?" | "colon" | "after";

const EXPECTED: Readonly<Record<State, string>> = {
  value: "a value",
  "value?": "a value or ]",
  key: "a member in double quotes",
  "key?": "a member in double quotes or }",
  colon: ":",
  after: ", or the closing bracket",
};

/**
 * What stands in the way of a file that says it is JSON: what JSON does not have (comments, trailing
 * commas, NaN, single quotes) is an issue with its place, though YAML has it. `undefined` where it is
 * JSON, and where it is empty, which is an error of its own.
 */
export function refuseNoJson(text: string, file: string): YamlSource | undefined {
  const source = text.replace(/^\uFEFF/, "");
  const fault = jsonFault(source);
  if (!fault || source.trim() === "") return undefined;
  const before = source.slice(0, fault.offset).split("\n");
  const place = { file, line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
  const message = `is not JSON: expected ${fault.expected}`;
  const issue = { code: "JSON_SYNTAX", severity: "error", path: [], message, at: place } as const;
  return { file, value: undefined, issues: [issue], at: () => place, written: () => undefined };
}

/** Where a text stops being JSON, and what would have been accepted there. */
function jsonFault(text: string): { readonly offset: number; readonly expected: string } | undefined {
  const reader = new Reader();
  const token = new RegExp(TOKEN);
  const end = text.trimEnd().length;
  let offset = 0;
  while (offset < end) {
    token.lastIndex = offset;
    const { groups } = token.exec(text) ?? {};
    if (!groups || !reader.take(groups["mark"], groups["text"] !== undefined)) break;
    offset = token.lastIndex;
  }
  const rest = /^[ \t\n\r]*/.exec(text.slice(offset))?.[0].length ?? 0;
  if (offset + rest === text.length && reader.isDone) return undefined;
  return { offset: offset + rest, expected: reader.expected };
}

class Reader {
  readonly #open: ("{" | "[")[] = [];
  #state: State = "value";

  get isDone(): boolean {
    return this.#state === "after" && this.#open.length === 0;
  }

  get expected(): string {
    return this.isDone ? "the end of the file" : EXPECTED[this.#state];
  }

  /** Takes a token: a mark, a text, or another scalar. False where it may not stand here. */
  take(mark: string | undefined, isText: boolean): boolean {
    if (mark === undefined) return this.#scalar(isText);
    if (mark === "{" || mark === "[") return this.#opens(mark);
    if (mark === "}" || mark === "]") return this.#closes(mark);
    if (mark === ":") return this.#moves("colon", "value");
    return this.#open.length > 0 && this.#moves("after", this.#open.at(-1) === "{" ? "key" : "value");
  }

  #scalar(isText: boolean): boolean {
    if (this.#state === "key" || this.#state === "key?") return isText && this.#moves(this.#state, "colon");
    return this.#isValue && this.#moves(this.#state, "after");
  }

  #opens(mark: "{" | "["): boolean {
    if (!this.#isValue) return false;
    this.#open.push(mark);
    return this.#moves(this.#state, mark === "{" ? "key?" : "value?");
  }

  #closes(mark: "}" | "]"): boolean {
    const [opened, empty] = mark === "}" ? ["{", "key?"] : ["[", "value?"];
    if (this.#open.at(-1) !== opened || (this.#state !== "after" && this.#state !== empty)) return false;
    this.#open.pop();
    return this.#moves(this.#state, "after");
  }

  get #isValue(): boolean {
    return this.#state === "value" || this.#state === "value?";
  }

  #moves(from: State, to: State): boolean {
    if (this.#state !== from) return false;
    this.#state = to;
    return true;
  }
}
