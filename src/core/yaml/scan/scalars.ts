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
  for (let position = end; ; position++) {
    const unit = text.charCodeAt(position);
    if (unit === SPACE) continue;
    if (endsLine(unit) || (unit === HASH && position > end)) break;
    end = position + 1;
    // A key inside a value is not valid.
    if (unit === COLON && (text.charCodeAt(end) === SPACE || endsLine(text.charCodeAt(end)))) decline();
  }
  cursor.position = end;
  return text.slice(start, end);
}

/** YAML requires a question mark before a longer key. */
export const MAX_KEY_LENGTH = 1000;
const PLAIN_KEY = /[\w$][\w$./@+-]*(?=:)/y;

export function scanKey(cursor: Cursor): string | undefined {
  const { position } = cursor;
  const key = scanWord(cursor) ?? scanQuoted(cursor) ?? cursor.match(PLAIN_KEY);
  if (key !== undefined && cursor.unit() === COLON && (cursor.unit(1) === SPACE || cursor.isAtLineEnd(1))) {
    if (cursor.position - position > MAX_KEY_LENGTH) decline();
    cursor.position++;
    return acceptKey(key);
  }
  cursor.position = position;
  return undefined;
}

/** The parser reports why these keys are refused. */
export function acceptKey(key: string): string {
  return key === "__proto__" || key === "<<" ? decline() : key;
}

function scanWord(cursor: Cursor): string | undefined {
  let ahead = 0;
  while (isWord(cursor.unit(ahead))) ahead++;
  if (ahead === 0 || cursor.unit(ahead) !== COLON) return undefined;
  const start = cursor.position;
  cursor.position += ahead;
  return cursor.text.slice(start, cursor.position);
}
