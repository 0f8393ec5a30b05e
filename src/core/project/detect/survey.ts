import { baseName } from "../../words/path.ts";

/** The files of a repository as detection sees them: paths relative to the root, with `/`, and the texts it asked for. */
export interface Survey {
  readonly files: ReadonlyMap<string, string | undefined>;
  /** True if a limit ended the walk early. */
  readonly isCut: boolean;
}

/** Folders that hold no declarations of the team's own. */
export const SKIPPED_FOLDERS = new Set(
  "node_modules .git .svcm dist build out .next .nuxt .output .turbo .cache coverage vendor venv .venv target test tests __tests__ __mocks__ e2e fixtures examples example docs deprecated".split(
    " ",
  ),
);

export const MAX_DEPTH = 4;

const SOURCE = /\.[cm]?[jt]sx?$/;

/** True for a relative path whose text detection reads. */
export function isWanted(path: string): boolean {
  const name = baseName(path);
  return isPm2Name(name) || isEnvName(path) || isCallerName(path) || SOURCE.test(name) || name === ".gitignore";
}

/** PM2 takes these names for a configuration, and teams use them for one. */
export function isPm2Name(name: string): boolean {
  return /^(?:ecosystem|pm2|process)[\w.-]*$/i.test(name) && /\.(?:json|ya?ml|config\.[cm]?js)$/i.test(name);
}

/** A name that looks like a configuration of PM2, and that PM2 would run as a script. */
export function isScriptLikePm2(name: string): boolean {
  return /^ecosystem[\w.-]*\.(?:[cm]?ts|[cm]?js)$/i.test(name) && !/\.config\.[cm]?js$/i.test(name);
}

const TEMPLATE = /(?:^|[._-])(?:ex[ae]mple|sample|template|dist|schema|defaults?)(?:$|[._-])/i;
const BACKUP = /(?:~|\.(?:bak|backup|old|orig|swp|save|copy))(?:$|\.)|[._-](?:bak|backup|old)$/i;

/** `.env`, `.env.<x>`, `<x>.env`, and `env.<template>`; no backups. */
export function isEnvName(path: string): boolean {
  const name = baseName(path);
  const isEnv = /^\.env(?:[.-][\w.-]+)?$/.test(name) || /^[\w-]+\.env$/.test(name) || /^env\.[\w-]+$/.test(name);
  return (
    isEnv && !BACKUP.test(name) && !(name.startsWith("env.") && !TEMPLATE.test(name)) && !/\.[cm]?[jt]s$/.test(name)
  );
}

export function isTemplateName(name: string): boolean {
  return TEMPLATE.test(name);
}

/** A file in which a team writes how it calls PM2. */
export function isCallerName(path: string): boolean {
  const name = baseName(path);
  return (
    name === "package.json" ||
    /^(?:Dockerfile|Containerfile|Procfile|Makefile)(?:$|\.)/i.test(name) ||
    /\.(?:sh|bash|ya?ml)$/i.test(name) ||
    /^readme(?:\.md)?$/i.test(name)
  );
}

/** `.` for a file of the root. */
export function folderOf(path: string): string {
  return path.includes("/") ? path.slice(0, path.lastIndexOf("/")) : ".";
}

/** The nearest of the folders with a package.json that holds a path, `.` for the root. */
export function homeOf(path: string, packages: readonly string[]): string {
  const around = packages.filter((folder) => path.startsWith(`${folder}/`));
  return around.toSorted((a, b) => b.length - a.length)[0] ?? ".";
}

/** A path of the repository as a folder of it names it. */
export function relativeTo(folder: string, path: string): string {
  if (folder === "") return path;
  const [from, to] = [folder.split("/"), path === "." ? [] : path.split("/")];
  let common = 0;
  while (common < from.length && from[common] === to[common]) common += 1;
  return [...from.slice(common).map(() => ".."), ...to.slice(common)].join("/") || ".";
}
