import type { Builder } from "./builder.ts";
import { plainValue } from "./core-schema.ts";
import { type Cursor, decline, MAX_DEPTH } from "./cursor.ts";
import { acceptKey, MAX_KEY_LENGTH, scanQuoted } from "./scalars.ts";

/** Flow collections inside a block stay on one line; a JSON document may have line breaks. */
export const ON_ONE_LINE = / */y;
export const ON_ANY_LINE = /[ \r\n]*/y;

/** Three dots may end the document. */
const PLAIN = /(?!\.\.\.)(?:[\w.~+/$]|-(?=[\w.]))[\w .~+/$@=-]*/y;
const QUOTED_KEY_END = /:[ ]?/y;
const PLAIN_KEY = /[\w$][\w$./@+-]*(?=: )/y;

export function scanFlow<Node>(cursor: Cursor, builder: Builder<Node>, space: RegExp, depth: number): Node {
  if (depth > MAX_DEPTH) decline();
  const start = cursor.position;
  switch (cursor.text[start]) {
    case "{":
      return scanMap(cursor, builder, space, depth);
    case "[":
      return scanList(cursor, builder, space, depth);
    default: {
      const quoted = scanQuoted(cursor);
      if (quoted !== undefined) return builder.scalar(start, quoted, quoted);
      const plain = (cursor.match(PLAIN) ?? decline()).trimEnd();
      return builder.scalar(start, plainValue(plain), plain);
    }
  }
}

function scanList<Node>(cursor: Cursor, builder: Builder<Node>, space: RegExp, depth: number): Node {
  const list = builder.list(cursor.position);
  for (let hasMore = openCollection(cursor, space, "]"); hasMore; hasMore = nextItem(cursor, space, "]")) {
    builder.item(list, scanFlow(cursor, builder, space, depth + 1));
  }
  return list;
}

function scanMap<Node>(cursor: Cursor, builder: Builder<Node>, space: RegExp, depth: number): Node {
  const map = builder.map(cursor.position);
  for (let hasMore = openCollection(cursor, space, "}"); hasMore; hasMore = nextItem(cursor, space, "}")) {
    const keyStart = cursor.position;
    const key = scanKey(cursor);
    cursor.skip(space);
    if (!builder.entry(map, key, keyStart, scanFlow(cursor, builder, space, depth + 1))) decline();
  }
  return map;
}

function scanKey(cursor: Cursor): string {
  const { position } = cursor;
  const quoted = scanQuoted(cursor);
  const key = quoted ?? cursor.match(PLAIN_KEY) ?? decline();
  if (cursor.position - position > MAX_KEY_LENGTH || !cursor.skip(QUOTED_KEY_END)) decline();
  return acceptKey(key);
}

/** Returns false if the closing bracket follows. */
function openCollection(cursor: Cursor, space: RegExp, close: string): boolean {
  cursor.position++;
  cursor.skip(space);
  return !skipCharacter(cursor, close);
}

function nextItem(cursor: Cursor, space: RegExp, close: string): boolean {
  cursor.skip(space);
  if (skipCharacter(cursor, close)) return false;
  if (!skipCharacter(cursor, ",")) decline();
  cursor.skip(space);
  return true;
}

function skipCharacter(cursor: Cursor, character: string): boolean {
  const found = cursor.text[cursor.position] === character;
  if (found) cursor.position++;
  return found;
}
