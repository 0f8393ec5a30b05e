/**
 * Checks the English of comments, messages, test titles and Markdown.
 * `npm run check:language` prints a summary per folder; `npm run check:language <path…>` lists every finding there.
 */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { globSync } from "tinyglobby";
import { checkLanguage, type Finding } from "./language/check.ts";
import { countsOf, folderOf, readPermitted, totalOf, writePermitted, type Counts } from "./language/ratchet.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url)).replace(/\/$/, "");
const PERMITTED = new URL("./language/permitted.json", import.meta.url);

const SOURCES = ["*.md", "{src,test,scripts,bench,apps,docs}/**/*.{ts,tsx,md}", "*.ts"];
const NOT_OURS = ["**/node_modules/**", "**/dist/**", "**/*.generated.ts", "test/fixtures/**"];
/** The words of a generated page are checked in the code. */
const GENERATED = /^<!-- Generated from .* Do not edit\. -->$/m;
/** The table of words quotes them. */
const QUOTES = ["scripts/language/words.ts", "test/scripts/check-language.test.ts"];

const options = process.argv.slice(2);
const paths = options.filter((option) => !option.startsWith("-")).map((path) => path.replace(/^\.\/|\/$/g, ""));
const isBelow = (path: string): boolean =>
  paths.length === 0 || paths.some((each) => path === each || path.startsWith(`${each}/`));

const findings = globSync(SOURCES, { cwd: ROOT, ignore: [...NOT_OURS, ...QUOTES] })
  .filter(isBelow)
  .toSorted()
  .map((path) => ({ path, text: readFileSync(`${ROOT}/${path}`, "utf8") }))
  .filter(({ text }) => !GENERATED.test(text))
  .flatMap(({ path, text }) => checkLanguage(path, text));
const counts = countsOf(findings);
if (options.includes("--write")) writePermitted(PERMITTED, counts);
const permitted = readPermitted(PERMITTED);

if (paths.length > 0) print(findings);
summarise();

function print(some: readonly Finding[]): void {
  for (const { path, line, message } of some) process.stdout.write(`${path}:${line} ${message}\n`);
}

function summarise(): void {
  const folders = Object.keys({ ...permitted, ...counts }).filter((folder) => paths.length === 0 || folder in counts);
  for (const folder of folders.toSorted()) process.stdout.write(`${rowOf(folder, counts, permitted)}\n`);
  process.stdout.write(`${totalOf(counts)} findings\n`);
  const above = folders.filter((folder) => (counts[folder] ?? 0) > (permitted[folder] ?? 0));
  if (above.length === 0) return;
  if (paths.length === 0) print(findings.filter(({ path }) => above.includes(folderOf(path))));
  process.stdout.write(
    `More findings than permitted in ${above.join(", ")}. scripts/language/words.ts says what to write.\n`,
  );
  process.exitCode = 1;
}

function rowOf(folder: string, found: Counts, limit: Counts): string {
  const [count, most] = [found[folder] ?? 0, limit[folder] ?? 0];
  const note = count < most && paths.length === 0 ? "  lower it: npm run check:language -- --write" : "";
  return `${String(count).padStart(5)} of ${String(most).padStart(4)}  ${folder}${note}`;
}
