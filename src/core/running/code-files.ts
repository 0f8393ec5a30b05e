/** The files of a code unit that are code. Paths are relative to the unit. */

/** Their content is compared in another way, or is not code. */
export const SKIPPED_FOLDERS: ReadonlySet<string> = new Set([".git", ".svcm", "node_modules"]);

/** The install is compared by their digests, never by time. */
export const LOCKFILES = [
  "package-lock.json",
  "npm-shrinkwrap.json",
  "pnpm-lock.yaml",
  "yarn.lock",
  "bun.lock",
  "bun.lockb",
] as const;

/** Package managers write these at the end of an install; a repeated install writes the same. */
export const INSTALL_MARKERS = [
  "node_modules/.package-lock.json",
  "node_modules/.pnpm/lock.yaml",
  "node_modules/.yarn-state.yml",
] as const;

const SOURCE = /\.(?:[cm]?[jt]sx?|json5?|wasm|node|so|py|rb|php|lua|coffee|sh|bash|vue|svelte|astro)$/i;
const TEMPLATE =
  /\.(?:html?|ejs|hbs|handlebars|pug|mustache|njk|liquid|eta|css|sql|graphql|gql|proto|ya?ml|toml|xml)$/i;
/** Apps write data in it more often than code. */
const DATA = /\.(?:json5?|ya?ml|xml|html?)$/i;

const NO_CODE =
  /(?:\.(?:log|pid|sock|socket|tmp|temp|swp|lock|map|md|mdx|markdown|db|sqlite3?|db-(?:wal|shm|journal)|sqlite3?-(?:wal|shm|journal)|rdb|aof|csv|png|jpe?g|gif|webp|avif|ico|bmp|tiff?|mp[34]|m4[av]|wav|ogg|webm|mov|avi|pdf|zip|gz|tgz|bz2|xz|zst|tar|7z|woff2?|ttf|otf|eot|tsbuildinfo)|\.log\.\d+|~)$/i;
const NO_CODE_NAME =
  /^(?:\.env(?:\..*)?|\.gitignore|\.gitattributes|\.editorconfig|\.dockerignore|\.npmignore|\.nvmrc|\.prettier.*|\.eslint.*|eslint\.config\..*|prettier\.config\..*|biome\.jsonc?|\.?oxlintrc.*|\.?oxfmtrc.*|vitest\.config\..*|jest\.config\..*|playwright\.config\..*|\.mocharc.*|licen[cs]e(?:\.txt)?|svcm\.yaml|deployments\.yaml|\.ds_store|thumbs\.db)$/i;
const NO_CODE_FOLDER =
  /^(?:docs?|tests?|__tests__|__mocks__|e2e|coverage|\.nyc_output|\.github|\.vscode|\.idea|logs?)$/i;
const TEST_FILE = /\.(?:test|spec)\.[cm]?[jt]sx?$/i;
/** Of a folder with such a name, only what Git tracks is code. */
const VOLATILE_FOLDER =
  /^(?:\.?cache|\.?tmp|temp|uploads?|data|storage|var|run|sessions?|backups?|\.turbo|\.vite|\.parcel-cache)$/i;

export interface CodeRules {
  /** Real, relative to the unit; `null` if the script is outside, as that of a wrapper such as npm. */
  readonly scriptFolder: string | null;
  readonly include: readonly string[];
  readonly exclude: readonly string[];
}

/** False for a file that is certainly not code, whatever Git says of it. */
export function mayBeCode(path: string, { scriptFolder, include, exclude }: CodeRules): boolean {
  if (matchesAny(path, exclude)) return false;
  if (matchesAny(path, include)) return true;
  const folders = path.split("/");
  const name = folders.pop() ?? "";
  if (NO_CODE.test(name) || NO_CODE_NAME.test(name) || TEST_FILE.test(name) || isLockfile(name)) return false;
  const isBesideScript = scriptFolder !== null && scriptFolder !== "" && isBelow(path, scriptFolder);
  return isBesideScript || !folders.some((folder) => NO_CODE_FOLDER.test(folder));
}

/** A file in such a folder may be code. Git lists the code of a volatile one. */
export function mayHoldCode(folder: string, hasGit: boolean): boolean {
  const names = folder.split("/");
  return !names.some((name) => NO_CODE_FOLDER.test(name) || (!hasGit && VOLATILE_FOLDER.test(name)));
}

export type GitStatus = "tracked" | "untracked" | "ignored" | "no-git";

/** Answers for a file that may be code. A file that Git does not track counts only if it looks like code. */
export function isCode(path: string, status: GitStatus, rules: CodeRules): boolean {
  if (status === "tracked" || matchesAny(path, rules.include)) return true;
  const { scriptFolder } = rules;
  if (!SOURCE.test(path) && !TEMPLATE.test(path)) return false;
  const hasOwnFolder = scriptFolder !== null && scriptFolder !== "";
  if (hasOwnFolder && isBelow(path, scriptFolder)) return true;
  if (isVolatile(path)) return false;
  if (status === "no-git") return true;
  if (isData(path)) return false;
  // The build output of a script in a folder is there; a script at the top, and a wrapper, may load any.
  return status === "untracked" || !hasOwnFolder;
}

/** Apps write such files at run time, too. */
export function isData(path: string): boolean {
  return DATA.test(path) && !isInBuild(path);
}

function isVolatile(path: string): boolean {
  const folders = path.split("/").slice(0, -1);
  return folders.some((folder) => VOLATILE_FOLDER.test(folder));
}

/** The output of a build has no commit, and is loaded by what `npm start` runs. */
function isInBuild(path: string): boolean {
  return /^(?:dist|build|out|lib|\.next|\.output|\.nuxt|\.svelte-kit)\//.test(path);
}

function isLockfile(name: string): boolean {
  return LOCKFILES.some((lockfile) => lockfile === name);
}

export function isBelow(path: string, folder: string): boolean {
  return folder === "" || path.startsWith(`${folder}/`);
}

function matchesAny(path: string, patterns: readonly string[]): boolean {
  return patterns.some((pattern) => toExpression(pattern).test(path));
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
