/** Paths as arguments limit the check to these files and folders. */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { globSync } from "tinyglobby";
import { checkLanguage } from "./language/check.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url)).replace(/\/$/, "");

const SOURCES = ["*.md", "{src,test,scripts,bench,apps,docs}/**/*.{ts,tsx,md}", "*.ts", "config/*.json"];
const IGNORED = ["**/node_modules/**", "**/dist/**", "**/*.generated.ts", "test/fixtures/**"];
/** The text of a generated page is checked in the code. */
const GENERATED = /^<!-- Generated from .* Do not edit\. -->$/m;
/** These files quote the words that the check finds. */
const QUOTES = ["scripts/language/words.ts", "test/scripts/check-language.test.ts"];

const paths = process.argv.slice(2).map((path) => path.replace(/^\.\/|\/$/g, ""));
const isSelected = (path: string): boolean =>
  paths.length === 0 || paths.some((each) => path === each || path.startsWith(`${each}/`));

/** The brackets make an expression of a JSON document. */
function readSource(path: string): string {
  const text = readFileSync(`${ROOT}/${path}`, "utf8");
  return path.endsWith(".json") ? `(${text})` : text;
}

const findings = globSync(SOURCES, { cwd: ROOT, ignore: [...IGNORED, ...QUOTES] })
  .filter(isSelected)
  .toSorted()
  .map((path) => ({ path, text: readSource(path) }))
  .filter(({ text }) => !GENERATED.test(text))
  .flatMap(({ path, text }) => checkLanguage(path, text));

for (const { path, line, message } of findings) process.stdout.write(`${path}:${line} ${message}\n`);
if (findings.length > 0) {
  process.stdout.write(
    `${findings.length} findings. scripts/language/words.ts lists the words and their replacements.\n`,
  );
  process.exitCode = 1;
}
