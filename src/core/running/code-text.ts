import { pluralize } from "../words/pluralize.ts";

const MAX_NAMES = 3;
const SHORT = 7;

/** `4a91c77 to 728e20b, 3 files` */
export function codeText(from: string, to: string, names: readonly string[]): string {
  return `${from} to ${to}, ${pluralize(names.length, "file")}`;
}

/** `src/mail.js`, or `5 files: a.js, b.js, c.js and 2 more` */
export function namesText(names: readonly string[]): string {
  const [only] = names;
  if (names.length === 1 && only !== undefined) return only;
  const more = names.length - MAX_NAMES;
  return `${pluralize(names.length, "file")}: ${names.slice(0, MAX_NAMES).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

/** Without what both paths have in common, but with the folder above: `releases/2` and `releases/1`. */
export function foldersText(from: string, to: string): readonly [string, string] {
  const [a, b] = [from.split("/"), to.split("/")];
  let common = 0;
  while (common < Math.min(a.length, b.length) - 1 && a[common] === b[common]) common += 1;
  const kept = Math.max(common - 1, 0);
  if (kept === 0) return [from, to];
  return [a.slice(kept).join("/"), b.slice(kept).join("/")];
}

/** The last folders of a script's path: `releases/1` of `/srv/app/releases/1/server.js`. */
export function upperFolder(script: string): string {
  return script.split("/").slice(0, -1).slice(-2).join("/");
}

export function shortCommit(commit: string): string {
  return commit.slice(0, SHORT);
}
