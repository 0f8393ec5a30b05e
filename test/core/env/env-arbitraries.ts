/** Generators of texts: hostile ones from fragments that parsers misread, and ordinary files. */
import fc from "fast-check";

const pieces = [
  ["A", "B", "KEY", "x", "y z", "1", ".", "-", "é", "$", "$$"],
  ["=", "=", "=", ":", "#", "'", '"', "`", "\\", "\\n", "\\r", "\\'", '\\"'],
  [" ", "\t", "\n", "\n", "\r\n", "\r", "\v", "\u00A0", "\uFEFF"],
  ["export ", "export", "A=", "=x\n", "\nA='", "# KEY="],
].flat();

/** U+2028 and U+2029 are left out because only regular expressions treat them as line ends. */
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
  // Node.js 22 and later read an exported key without a value as a separate name.
  .map(([prefix, key, value, comment]) => `${value === "" ? "" : prefix}${key}=${value}${comment}`);
const commentLine = fc.stringMatching(/^# ?[A-Za-z0-9 ]{0,20}$/);
const line = fc.oneof({ weight: 4, arbitrary: entryLine }, commentLine, fc.constant(""));

/** Typical env files: assignments, comments and blank lines, LF or CRLF, with or without a final line break. */
export const envText = fc
  .tuple(fc.array(line, { maxLength: 10 }), fc.constantFrom("\n", "\r\n"), fc.boolean())
  .map(([lines, lineBreak, hasEnd]) => lines.join(lineBreak) + (hasEnd ? lineBreak : ""));
