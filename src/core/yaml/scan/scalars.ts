import { COLON, type Cursor, decline, endsLine, HASH, isWord, SPACE } from "./cursor.ts";

const PLAIN_START = /(?:[^\s\-?:,[\]{}#&*!|>'"%@`]|-(?=[^\s,[\]{}]))/y;
const DOUBLE_QUOTED = /"(?:[^"\\\r\n]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y;
const SINGLE_QUOTED = /'(?:[^'\r\n]|'')*'/y;

export function scanQuoted(cursor: Cursor): string | undefined {
  switch (cursor.text[cursor.position]) {
    case '"': {
      const source = cursor.match(DOUBLE_QUOTED) ?? decline();
      return source.includes("\\") ? (JSON.parse(source) as string) : source.slice(1, -1);
    }
    case "'":
      return (cursor.match(SINGLE_QUOTED) ?? decline()).slice(1, -1).replaceAll("''", "'");
    default:
      return undefined;
  }
}

export function scanPlain(cursor: Cursor): string {
  const { text, position: start } = cursor;
  if (!isWord(cursor.unit()) && !cursor.skip(PLAIN_START)) decline();
  let end = cursor.position;
  for (let at = end; ; at++) {
    const unit = text.charCodeAt(at);
    if (unit === SPACE) continue;
    if (endsLine(unit) || (unit === HASH && at > end)) break;
    end = at + 1;
    // A key inside a value is not valid.
    if (unit === COLON && (text.charCodeAt(end) === SPACE || endsLine(text.charCodeAt(end)))) decline();
  }
  cursor.position = end;
  return text.slice(start, end);
}
