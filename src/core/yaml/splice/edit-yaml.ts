import { parseYaml } from "../parse.ts";
import { applied, type Change, isSame, UneditableYaml } from "./change.ts";
import type { LineChange } from "../../words/line-change.ts";
import { lineChanges, spliced } from "./lines.ts";
import { splicesOf } from "./splices-of.ts";
import { parseTree } from "./tree.ts";

export interface YamlEdit {
  readonly text: string;
  readonly changes: readonly LineChange[];
}

/** A readable document: its text, and the data that the text means (`undefined` for an empty one). */
export interface YamlText {
  readonly text: string;
  readonly value: unknown;
  /** Whether it has to be JSON even where it is still empty. */
  readonly isJson: boolean;
}

const BYTE_ORDER_MARK = "\uFEFF";

/**
 * The text with the changes made, and every other line byte for byte as before: comments, order,
 * quoting, line breaks. New text is written as its neighbours are. The result is read again, and
 * means exactly what was asked.
 *
 * @throws {UneditableYaml} where that cannot be had, with the reason.
 */
export function editYaml({ text, value, isJson }: YamlText, changes: readonly Change[]): YamlEdit {
  const mark = text.startsWith(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK : "";
  const body = text.slice(mark.length);
  const expected = applied(value, changes);
  if (value !== undefined && isSame(expected, value)) return { text, changes: [] };
  const before = parseTree(body, isJson);
  const means = (next: string | undefined): next is string =>
    next !== undefined && isSame(parseYaml(next, "").value, expected) && (!before.isJson || isJsonText(next));

  const splices = changes.flatMap((change) => splicesOf(before, change));
  const atOnce = spliced(body, splices);
  if (means(atOnce)) return { text: mark + atOnce, changes: lineChanges(body, splices) };
  const inTurn = oneByOne(body, before.isJson, changes);
  if (means(inTurn)) return { text: mark + inTurn, changes: wholeChange(body, inTurn) };
  throw new UneditableYaml("the lines around it are written in a way that svcm does not change safely");
}

/** Changes that meet in one place are made each on the text that the one before has left. */
function oneByOne(text: string, isJson: boolean, changes: readonly Change[]): string | undefined {
  const [others, gone] = [
    changes.filter(({ kind }) => kind !== "delete"),
    changes.filter(({ kind }) => kind === "delete"),
  ];
  let next: string | undefined = text;
  for (const change of [...others, ...gone.toReversed()]) {
    const tree = parseTree(next, isJson);
    next = spliced(next, splicesOf(tree, change));
    if (next === undefined) return undefined;
  }
  return next;
}

function wholeChange(before: string, after: string): LineChange[] {
  return lineChanges(before, [{ start: 0, end: before.length, text: after }]);
}

function isJsonText(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
