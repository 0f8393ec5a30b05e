import { COLON, type Cursor, decline, isWord, SPACE } from "./cursor.ts";
import { scanQuoted } from "./scalars.ts";

/** YAML requires a question mark before a longer key. */
const LONGEST = 1000;
const PLAIN_KEY = /[\w$][\w$./@+-]*(?=:)/y;

export function scanKey(cursor: Cursor): string | undefined {
  const { position } = cursor;
  const key = scanWord(cursor) ?? scanQuoted(cursor) ?? cursor.match(PLAIN_KEY);
  if (key !== undefined && cursor.unit() === COLON && (cursor.unit(1) === SPACE || cursor.isAtLineEnd(1))) {
    if (cursor.position - position > LONGEST) decline();
    cursor.position++;
    return accepted(key);
  }
  cursor.position = position;
  return undefined;
}

/** The parser reports why these keys are refused. */
export function accepted(key: string): string {
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
