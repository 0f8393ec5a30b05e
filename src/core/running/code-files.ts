/** The files of a code unit that are code. Paths are relative to the unit. */
import { LOCKFILES } from "./install-files.ts";

/** Their content is compared in another way, or is not code. */
export const SKIPPED_FOLDERS: ReadonlySet<string> = new Set([".git", ".svcm", "node_modules"]);

const PROGRAM = /\.(?:[cm]?[jt]sx?|wasm|node|so|py|rb|php|lua|coffee|sh|bash|vue|svelte|astro)$/i;
const TEXT =
  /\.(?:json5?|html?|ejs|hbs|handlebars|pug|mustache|njk|liquid|eta|css|sql|graphql|gql|proto|ya?ml|toml|xml)$/i;
/** Apps write data in it more often than code. */
const DATA = /\.(?:json5?|ya?ml|xml|html?)$/i;
const TABLE = /\.(?:[ct]sv|txt|ndjson|jsonl)$/i;
/** Apps read them once, when they start. */
const SETTINGS = /\.(?:env|ini|conf|cfg|properties|pem|key|crt|cert?|p12|pfx)$/i;
const ENV_FILE = /(?:^|\/)\.env(?:\.[^/]*)?$/i;
/** As the library rc reads them, such as `.shoprc`. */
const RC_FILE = /(?:^|\/)\.[a-z][\w-]*rc$/;
/** Some apps load them, and most do not. */
const DOUBTFUL = /\.(?:md|mdx|markdown|csv)$/i;

const NO_CODE =
  /(?:\.(?:log|pid|sock|socket|tmp|temp|swp|bak|orig|old|lock|lck|map|pyc|db|sqlite3?|db-(?:wal|shm|journal)|sqlite3?-(?:wal|shm|journal)|rdb|aof|ldb|sst|png|jpe?g|gif|webp|avif|ico|bmp|tiff?|mp[34]|m4[av]|wav|ogg|webm|mov|avi|pdf|zip|gz|tgz|bz2|xz|zst|tar|7z|woff2?|ttf|otf|eot|tsbuildinfo|heapsnapshot|cpuprofile|d\.[cm]?ts)|\.log\.\d+|-\d{4}-\d\d-\d\d\.txt|~)$/i;
const NO_CODE_NAME =
  /^(?:\.env\.(?:dist|example|sample|schema|template|test)|\.gitignore|\.gitattributes|\.editorconfig|\.dockerignore|\.npmignore|\.nvmrc|\.prettier.*|\.eslint.*|eslint\.config\..*|prettier\.config\..*|biome\.jsonc?|\.?oxlintrc.*|\.?oxfmtrc.*|vitest\.config\..*|jest\.config\..*|playwright\.config\..*|\.mocharc.*|licen[cs]e(?:\.txt)?|(?:readme|changelog|contributing|security|code_of_conduct|authors|notice)(?:\..*)?|dockerfile.*|docker-compose.*|makefile|procfile|jenkinsfile|(?:ecosystem|pm2)(?:[.-][\w-]+)*\.(?:config\.[cm]?js|json5?|ya?ml)|svcm\.yaml|deployments\.yaml|\.ds_store|thumbs\.db)$/i;
const TEST_FOLDER = /^(?:tests?|__tests__|__mocks__|e2e|\.nyc_output|\.github|\.vscode|\.idea|__pycache__)$/i;
/** Programs in it are modules such as a logger; everything else is output. */
const OUTPUT_FOLDER = /^(?:logs?|coverage)$/i;
/** An app may serve what describes its API. */
const DOCS_FOLDER = /^docs?$/i;
const TEST_FILE = /\.(?:test|spec)\.[cm]?[jt]sx?$/i;
/** Next.js renders them again while it serves. */
const RENDERED_PAGE = /(?:^|\/)\.next\/server\/(?:app|pages|route-cache)\/.*\.(?:html|json)$/;
const CACHE_FOLDER = /^\.(?:cache|tmp|turbo|vite|parcel-cache)$/i;
/** New files in such a folder are output of the app, unless Git tracks them. */
const VOLATILE_FOLDER = /^(?:cache|tmp|temp|uploads?|sessions?|backups?)$/i;
const SETTINGS_FOLDER = /^(?:conf|config|settings)$/i;
const DATA_FOLDER = /^(?:data|storage|var|run)$/i;

export interface CodeRules {
  /** Files that are code whatever their names, such as the script. */
  readonly named: ReadonlySet<string>;
  /** Files that the declaration names, and that the app may read or write. */
  readonly settings?: ReadonlySet<string>;
  /** Data that the app writes at each start. */
  readonly own?: ReadonlySet<string>;
  /** The app works in another folder, so its env files are not looked for here. */
  readonly isElsewhere?: boolean;
  /** It belongs to another app. */
  readonly isOfSibling?: (path: string) => boolean;
  /** Real, relative to the unit; `null` if the script is outside, as that of a wrapper such as npm. */
  readonly scriptFolder: string | null;
  /** Files beside the code, such as the ecosystem file. */
  readonly others: ReadonlySet<string>;
  readonly include: readonly string[];
  readonly exclude: readonly string[];
}

/** False for a file that is certainly not code, whatever Git says of it. */
export function mayBeCode(path: string, rules: CodeRules): boolean {
  if (rules.others.has(path) || matchesAny(path, rules.exclude)) return false;
  if (isNamed(path, rules) || rules.settings?.has(path) === true) return true;
  return rules.isOfSibling?.(path) !== true && mayBeCodeByName(path, rules);
}

function mayBeCodeByName(path: string, rules: CodeRules): boolean {
  const folders = path.split("/").filter((folder) => folder !== ".");
  const name = folders.pop() ?? "";
  if (isNoCodeName(name) || RENDERED_PAGE.test(path) || (folders.length === 0 && isApart(name, rules))) return false;
  return isBesideScript(path, rules) || !isOutside(folders, name);
}

function isNoCodeName(name: string): boolean {
  return NO_CODE.test(name) || NO_CODE_NAME.test(name) || TEST_FILE.test(name) || isLockfile(name);
}

/** At the top, such a file describes the project, or is compared by its values. */
function isOfProject(name: string): boolean {
  return DOUBTFUL.test(name) || ENV_FILE.test(name);
}

/** Nothing compares the values of an env file here if the app works elsewhere. */
function isApart(name: string, { isElsewhere = false }: CodeRules): boolean {
  return isOfProject(name) && !(isElsewhere && ENV_FILE.test(name));
}

/** In a folder of which nothing, or no file with such a name, is code. */
function isOutside(folders: readonly string[], name: string): boolean {
  return folders.some(
    (folder) =>
      TEST_FOLDER.test(folder) ||
      CACHE_FOLDER.test(folder) ||
      (OUTPUT_FOLDER.test(folder) && !PROGRAM.test(name)) ||
      (DOCS_FOLDER.test(folder) && !TEXT.test(name)),
  );
}

/** New names in such a folder may belong to code. Git lists the code of a volatile one. */
export function mayHoldCode(folder: string, hasGit: boolean, rules: CodeRules): boolean {
  if (rules.include.some((pattern) => mayMatchBelow(pattern, folder))) return true;
  if (isBesideScript(`${folder}/`, rules)) return true;
  return !folder.split("/").some((name) => isNoCodeFolder(name) || (!hasGit && isVolatileName(name)));
}

/** Its files are not code, apart from exceptions by their names. */
function isNoCodeFolder(name: string): boolean {
  return [TEST_FOLDER, CACHE_FOLDER, OUTPUT_FOLDER, DOCS_FOLDER].some((kind) => kind.test(name));
}

export type GitStatus = "tracked" | "untracked" | "ignored" | "no-git";
/**
 * `fellow`: it is new, and others with the same suffix were in its folder before. `rewritten`: it is old, and was written
 * while the app started.
 */
export type Age = "old" | "new" | "fellow" | "rewritten";
/** `doubtful`: an app may load it or write it, and only `svcm.yaml` can say which. */
export type Weight = "code" | "doubtful" | "none";

/** Of a file that may be code. A file that Git does not track counts only if it looks like code. */
export function weigh(path: string, status: GitStatus, age: Age, rules: CodeRules): Weight {
  const byName = weighByName(path, status, age === "rewritten" ? "old" : age, rules);
  const weight = status === "tracked" ? byName : weighOwnData(path, byName, age, rules);
  return weight === "none" && rules.settings?.has(path) === true ? "doubtful" : weight;
}

/** Of a file in the folder that Git did not write: the app may have, or a deployment that was not complete. */
export function weighOwnData(path: string, weight: Weight, age: Age, rules: CodeRules): Weight {
  if (isNamed(path, rules) || !isDataName(path) || path.startsWith("../")) return weight;
  if (rules.own?.has(path) === true) return "none";
  return age === "rewritten" && weight === "code" ? "doubtful" : weight;
}

export function isDataName(path: string): boolean {
  return DATA.test(path) || TABLE.test(path);
}

function weighByName(path: string, status: GitStatus, age: Age, rules: CodeRules): Weight {
  if (isNamed(path, rules)) return "code";
  const isBeside = isBesideScript(path, rules);
  const folders = (isBeside ? path.slice(rules.scriptFolder?.length) : path).split("/").slice(0, -1);
  const isDocs = !isBeside && folders.some((name) => DOCS_FOLDER.test(name));
  if (status === "tracked") return isDocs || isOfProject(path) ? "doubtful" : "code";
  const look = lookOf(path, folders);
  if (isSettings(look, age, folders)) return "doubtful";
  if (isBeside) return weighBeside(path, look, age);
  return weighElsewhere(isDocs ? "unclear" : look, { status, age, rules });
}

/** An editor replaces a file, so it is a new one. */
function isSettings(look: Look, age: Age, folders: readonly string[]): boolean {
  return look === "settings" || (look === "data" && age === "new" && folders.some(isSettingsName));
}

function weighBeside(path: string, look: Look, age: Age): Weight {
  if (look === "source" || (age === "old" && PROGRAM.test(path))) return "code";
  if (look === "data") return age === "old" ? "code" : orNone(age === "fellow");
  return orNone(look === "unclear" && age === "old");
}

/** The build output of a script in a folder is there; a script at the top, and a wrapper, may load any. */
function weighElsewhere(
  look: Look,
  { status, age, rules }: { readonly status: GitStatus; readonly age: Age; readonly rules: CodeRules },
): Weight {
  if (look === "source") return status === "ignored" && hasOwnFolder(rules) ? "doubtful" : "code";
  if (look === "data") return age === "old" && status === "no-git" ? "code" : orNone(age !== "new");
  return orNone(look === "unclear" && age === "old" && status !== "ignored");
}

type Look = "source" | "data" | "settings" | "unclear" | "output";

function lookOf(path: string, folders: readonly string[]): Look {
  if (folders.some((name) => OUTPUT_FOLDER.test(name))) return "unclear";
  if (folders.some(isVolatileName)) return mayBeLoaded(path, folders) ? "unclear" : "output";
  if (SETTINGS.test(path) || ENV_FILE.test(path) || RC_FILE.test(path)) return "settings";
  if (!PROGRAM.test(path) && !TEXT.test(path)) return "unclear";
  return isData(path) ? "data" : "source";
}

function orNone(isDoubtful: boolean): Weight {
  return isDoubtful ? "doubtful" : "none";
}

/** A module may lie in a folder with any name, and data that came with the code in one that is named so. */
function mayBeLoaded(path: string, folders: readonly string[]): boolean {
  return PROGRAM.test(path) || (TEXT.test(path) && folders.some((name) => DATA_FOLDER.test(name)));
}

/** Apps write such files at run time, too. */
function isData(path: string): boolean {
  return DATA.test(path) && !isLoadedFromBuild(path);
}

function isNamed(path: string, { named, include }: CodeRules): boolean {
  return named.has(path) || matchesAny(path, include);
}

/** A link with such a name may lead to code, also outside of the unit. */
export function mayFollow(name: string): boolean {
  return !SKIPPED_FOLDERS.has(name) && !isVolatileName(name) && !isNoCodeFolder(name);
}

/** Users write in such a folder more often than apps do. */
export function isInSettings(path: string): boolean {
  return path.split("/").slice(0, -1).some(isSettingsName);
}

function isSettingsName(name: string): boolean {
  return SETTINGS_FOLDER.test(name);
}

function isVolatileName(name: string): boolean {
  return VOLATILE_FOLDER.test(name) || DATA_FOLDER.test(name);
}

/** The output of a build has no commit, and is loaded by what `npm start` runs. */
function isLoadedFromBuild(path: string): boolean {
  return /^(?:dist|build|out|lib|\.next|\.output|\.nuxt|\.svelte-kit)\//.test(path);
}

export const NEXT_BUILD = ".next";

/** Only a build brings it into the folder. Next.js compiles each program. */
export function isBuiltInto(folder: string, path: string): boolean {
  return folder === NEXT_BUILD ? isProgram(path) : /\.(?:[cm]?tsx?|vue|svelte|astro)$/.test(path);
}

export function isProgram(path: string): boolean {
  return PROGRAM.test(path);
}

/** Of any package. Many projects have source code in `lib`. */
export function isInBuild(path: string): boolean {
  return /(?:^|\/)(?:dist|build|out|\.next|\.output|\.nuxt|\.svelte-kit)\//.test(path);
}

function hasOwnFolder({ scriptFolder }: CodeRules): boolean {
  return scriptFolder !== null && scriptFolder !== "";
}

function isBesideScript(path: string, rules: CodeRules): boolean {
  return hasOwnFolder(rules) && isBelow(path, rules.scriptFolder ?? "");
}

function isLockfile(name: string): boolean {
  return LOCKFILES.some((lockfile) => lockfile === name);
}

export function isBelow(path: string, folder: string): boolean {
  return folder === "" || path.startsWith(`${folder}/`);
}

/** A path with `./` is what a link leads to. */
export function matchesAny(path: string, patterns: readonly string[]): boolean {
  if (patterns.length === 0) return false;
  const clean = path.replace(/(^|\/)\.\//, "$1");
  return patterns.some((pattern) => toExpression(pattern).test(clean));
}

/** Returns true if a path in the folder may match. */
function mayMatchBelow(pattern: string, folder: string): boolean {
  const clean = pattern.replace(/^\.\//, "").replace(/\/+$/, "");
  if (!clean.includes("/")) return toExpression(clean).test(folder);
  const [fixed = ""] = clean.split(/[*?]/);
  return `${folder}/`.startsWith(fixed) || fixed.startsWith(`${folder}/`) || toExpression(clean).test(folder);
}

/** `*` stays in a folder, `**` does not. A folder stands for everything in it. */
export function toExpression(pattern: string): RegExp {
  const clean = pattern.replace(/^\.\//, "").replace(/\/+$/, "");
  const text = clean.replaceAll(/\*\*\/|\*\*|\*|\?|[.+^${}()|[\]\\]/g, (token) => {
    if (token === "**/") return "(?:.*/)?";
    if (token === "**") return ".*";
    if (token === "*") return "[^/]*";
    return token === "?" ? "[^/]" : `\\${token}`;
  });
  return new RegExp(`^${clean.includes("/") ? "" : "(?:.*/)?"}${text}(?:/.*)?$`);
}
