/** Texts for properties: hostile ones from the pieces that parsers trip over, and ordinary files. */
import fc from "fast-check";

const pieces = [
  ["A", "B", "KEY", "x", "y z", "1", ".", "-", "é", "$", "$$"],
  ["=", "=", "=", ":", "#", "'", '"', "`", "\\", "\\n", "\\r", "\\'", '\\"'],
  [" ", "\t", "\n", "\n", "\r\n", "\r", "\v", "\u00A0", "\uFEFF"],
  ["export ", "export", "A=", "=x\n", "\nA='", "# KEY="],
].flat();

/** Any text over the pieces. U+2028 and U+2029 are left out: they end a line for a regular expression only. */
export const hostileText = fc.array(fc.constantFrom(...pieces), { maxLength: 24 }).map((parts) => parts.join(""));

export const keyName = fc.stringMatching(/^[A-Z][A-Z0-9_]{0,6}$/);
const bareValue = fc.stringMatching(/^[A-Za-z0-9_.,:/@%+=-]{0,12}$/);
const quotedValue = fc
  .tuple(fc.constantFrom("'", '"', "`"), fc.stringMatching(/^[A-Za-z0-9 #=:]{0,12}$/))
  .map(([mark, value]) => mark + value + mark);
const entryLine = fc
  .tuple(
    fc.constantFrom("", "", "export "),
    keyName,
    fc.oneof(bareValue, quotedValue),
    fc.constantFrom("", "", " # note"),
  )
  // An exported key without a value is a separate name for Node 22 and later.
  .map(([prefix, key, value, comment]) => `${value === "" ? "" : prefix}${key}=${value}${comment}`);
const commentLine = fc.stringMatching(/^# ?[A-Za-z0-9 ]{0,20}$/);
const line = fc.oneof({ weight: 4, arbitrary: entryLine }, commentLine, fc.constant(""));

/** Env files as people write them: assignments, comments and blank lines, LF or CRLF, with a final line break or not. */
export const envText = fc
  .tuple(fc.array(line, { maxLength: 10 }), fc.constantFrom("\n", "\r\n"), fc.boolean())
  .map(([lines, lineBreak, hasEnd]) => lines.join(lineBreak) + (hasEnd ? lineBreak : ""));
