import { parseYaml } from "../parse.ts";
import { applyChanges, type Change, sortDeletesLast, UneditableYaml } from "./change.ts";
import type { LineChange } from "../../words/line-change.ts";
import { lineChanges, applySplices } from "./lines.ts";
import { planSplices } from "./plan-splices.ts";
import { isJsonText, parseTree } from "./tree.ts";

export interface YamlEdit {
  readonly text: string;
  readonly changes: readonly LineChange[];
}

export interface YamlText {
  readonly text: string;
  readonly value: unknown;
  /** The result must be JSON, even if the text is still empty. */
  readonly isJson: boolean;
}

const BYTE_ORDER_MARK = "\uFEFF";

/**
 * Keeps every other line byte for byte. New text follows the style of its neighbours. The result is parsed again and
 * compared with the expected data. @throws {UneditableYaml}
 */
export function editYaml({ text, value, isJson }: YamlText, changes: readonly Change[]): YamlEdit {
  const mark = text.startsWith(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK : "";
  const body = text.slice(mark.length);
  const expected = applyChanges(value, changes);
  if (value !== undefined && isEqual(expected, value)) return { text, changes: [] };
  const before = parseTree(body, isJson);
  const isExpected = (next: string | undefined): next is string =>
    next !== undefined && isEqual(parseYaml(next, "").value, expected) && (!before.isJson || isJsonText(next));

  const splices = changes.flatMap((change) => planSplices(before, change));
  const atOnce = applySplices(body, splices);
  if (isExpected(atOnce)) return { text: mark + atOnce, changes: lineChanges(body, splices) };
  const inTurn = applyOneByOne(body, before.isJson, changes);
  if (isExpected(inTurn))
    return { text: mark + inTurn, changes: lineChanges(body, [{ start: 0, end: body.length, text: inTurn }]) };
  throw new UneditableYaml("svcm cannot safely change lines written in this way");
}

function applyOneByOne(text: string, isJson: boolean, changes: readonly Change[]): string | undefined {
  let next: string | undefined = text;
  for (const change of sortDeletesLast(changes)) {
    const tree = parseTree(next, isJson);
    next = applySplices(next, planSplices(tree, change));
    if (next === undefined) return undefined;
  }
  return next;
}

function isEqual(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const keys = Object.keys(a);
  if (keys.length !== Object.keys(b).length) return false;
  return keys.every(
    (key) => Object.hasOwn(b, key) && isEqual((a as never)[key] as unknown, (b as never)[key] as unknown),
  );
}
