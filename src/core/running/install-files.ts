/** Files that say what is installed for an app. Paths are relative to its folder, or to one above it. */

/** The install is compared by their digests, never by time. */
export const LOCKFILES = [
  "package-lock.json",
  "npm-shrinkwrap.json",
  "pnpm-lock.yaml",
  "yarn.lock",
  "bun.lock",
  "bun.lockb",
] as const;

/** A deploy has no step for them: Deno installs when a program starts, and Rush in a folder of the repository. */
export const OTHER_LOCKFILES = [
  "deno.lock",
  "common/config/rush/pnpm-lock.yaml",
  "common/config/rush/yarn.lock",
  "common/config/rush/npm-shrinkwrap.json",
] as const;

/** Of Python, Ruby and PHP. They do not concern a program of Node.js beside them. */
export const FOREIGN_LOCKFILES = [
  "uv.lock",
  "poetry.lock",
  "pdm.lock",
  "Pipfile.lock",
  "pylock.toml",
  "Gemfile.lock",
  "composer.lock",
] as const;

/** Package managers write these at the end of an install; a repeated install writes the same. */
export const INSTALL_MARKERS = [
  "node_modules/.package-lock.json",
  "node_modules/.pnpm/lock.yaml",
  "node_modules/.yarn-state.yml",
  "node_modules/.yarn-integrity",
  "common/temp/node_modules/.pnpm/lock.yaml",
] as const;

/** Tools that write code beside an installed library, without a change of the lockfile. */
export const GENERATORS = [
  { library: "@prisma/client", output: ".prisma" },
  { library: "@zenstackhq/runtime", output: ".zenstack" },
] as const;

/** Types do not run, and an engine belongs to the version of the library. */
export function isGeneratedCode(path: string): boolean {
  return /\.(?:[cm]?js|json|prisma)$/i.test(path);
}
