import { parseEnvDocument } from "./document.ts";

const BARE = /^[A-Za-z0-9_.,:/@%+=-]*$/;
const QUOTES = ["'", '"', "`"] as const;

/**
 * The ways to write a value that dotenv reads correctly, plainest first. Empty if no quoting works. Double quotes
 * expand escapes, so they cannot hold `\` or `$`.
 */
export function spellings(value: string): string[] {
  const marks = QUOTES.filter((mark) => !value.includes(mark) && (mark !== '"' || !/[\\$]/.test(value)));
  const written = [...(BARE.test(value) ? [value] : []), ...marks.map((mark) => mark + value + mark)];
  return written.filter((spelling) => {
    const { entries } = parseEnvDocument(`KEY=${spelling}`);
    return entries.length === 1 && entries[0]?.value === value;
  });
}
