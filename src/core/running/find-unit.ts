import type { Place } from "./code-evidence.ts";

export interface UnitQuestion extends Place {
  /** As declared, before links are resolved. */
  readonly declaredCwd: string;
  readonly declaredScript: string;
  /** Real folder of the service, unless it is the whole repository. */
  readonly serviceFolder: string | null;
  /** Real root of the repository. */
  readonly root: string;
  readonly hasPackage: (folder: string) => boolean;
}

export interface CodeUnit {
  readonly folder: string;
  /** Relative to the unit; `null` if the script is outside, as that of a wrapper such as npm. */
  readonly scriptFolder: string | null;
}

/** PM2's own server reads each file when a request comes, so it never serves former ones. */
const STATIC_SERVER = /\/pm2\/lib\/API\/Serve\.js$/;

function isStaticServer(script: string | null): boolean {
  return script !== null && STATIC_SERVER.test(script);
}

/** `undefined` if the folder of the app does not exist, and for an app that loads nothing of it. */
export function findUnit(question: UnitQuestion): CodeUnit | undefined {
  const { cwd, script } = question;
  if (cwd === null || isStaticServer(script)) return undefined;
  const ofFolder = folderUnit(question, cwd);
  if (script === null || isInstalled(script)) return { folder: ofFolder, scriptFolder: null };
  const isThroughLink = isInside(script, cwd) && hasLinkBelow(question, cwd, script);
  if (isInside(script, ofFolder) && !isThroughLink) return withScript(ofFolder, script);
  if (!isThroughLink && !/\.[cm]?[jt]sx?$/.test(script)) return { folder: ofFolder, scriptFolder: null };
  // Modules are found from the real path of the script, not from the working folder.
  const own = parentOf(script);
  return withScript(nearestPackage(own, question, isThroughLink ? cwd : "/") ?? own, script);
}

function folderUnit(question: UnitQuestion, cwd: string): string {
  const { serviceFolder, declaredCwd, root } = question;
  const isLinked = declaredCwd !== cwd;
  if (serviceFolder !== null && isInside(cwd, serviceFolder) && !isLinked) return serviceFolder;
  return nearestPackage(cwd, question, isInside(cwd, root) ? parentOf(root) : parentOf(cwd)) ?? cwd;
}

/** @param end is not included */
function nearestPackage(folder: string, { hasPackage }: UnitQuestion, end: string): string | undefined {
  for (let at = folder; at.length > 1 && at !== end; at = parentOf(at)) if (hasPackage(at)) return at;
  return undefined;
}

function hasLinkBelow({ declaredCwd, declaredScript }: UnitQuestion, cwd: string, script: string): boolean {
  if (!isInside(declaredScript, declaredCwd)) return false;
  return declaredScript.slice(declaredCwd.length) !== script.slice(cwd.length);
}

function withScript(folder: string, script: string): CodeUnit {
  return { folder, scriptFolder: parentOf(script).slice(folder.length + 1) };
}

/** An installed program only starts the code of the app. */
export function isInstalled(script: string): boolean {
  return script.includes("/node_modules/") || /^\/(?:bin|sbin|usr\/(?:bin|sbin|lib|local\/bin))\//.test(script);
}

/** Programs that only start others. One version of them is as good as another. */
const LAUNCHER =
  /\/(?:node|nodejs|bun|deno|python[\d.]*|ruby|php[\d.]*|perl|java|env|(?:ba|da|z|k)?sh|(?:npm|npx|pnpm|pnpx|yarn|yarnpkg|bunx|corepack)(?:-cli)?(?:\.[cm]?js)?)$/;

/** A program of the system, or of a package that no lockfile of the app has, is what the app runs. */
export function isLauncher(script: string): boolean {
  return LAUNCHER.test(script);
}

/** The folder of the package that has the script; `undefined` if it is not installed. */
export function packageOf(script: string): string | undefined {
  return /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(script)?.[0];
}

function parentOf(path: string): string {
  return path.slice(0, Math.max(path.lastIndexOf("/"), 1));
}

export function isInside(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder === "/" ? folder : `${folder}/`);
}
