import { isEnvName } from "../../words/environment-names.ts";
import { isPm2Name } from "../../pm2/pm2-names.ts";
import { baseName } from "../../words/text.ts";

/** Paths relative to the root, with `/`, and the requested texts. */
export interface Survey {
  readonly files: ReadonlyMap<string, string | undefined>;
  readonly isCut: boolean;
  /** Env files that are links out of the repository, as in release folders, with what they lead to. */
  readonly outside?: ReadonlyMap<string, string>;
}

const SKIPPED_FOLDERS = new Set(
  "node_modules .git .svcm dist build out .next .nuxt .output .turbo .cache coverage vendor venv .venv target test tests __tests__ __mocks__ e2e fixtures examples example docs deprecated".split(
    " ",
  ),
);

/** A copy of the repository, such as `backups/2024-12-19`, says nothing about what runs now. */
const COPY_FOLDER = /(?:^|[._-])(?:backups?|bak|archived?|snapshots?)(?:$|[._-])/i;

export function isSkippedFolder(name: string): boolean {
  return SKIPPED_FOLDERS.has(name) || COPY_FOLDER.test(name);
}

export const MAX_DEPTH = 4;

const SOURCE = /\.[cm]?[jt]sx?$/;

export function isSurveyed(path: string): boolean {
  const name = baseName(path);
  return (
    isPm2Name(name) ||
    CALLABLE_JSON.test(name) ||
    isEnvName(path) ||
    mayCallPm2(path) ||
    SOURCE.test(name) ||
    name === ".gitignore"
  );
}

/** A caller may name a PM2 file `apps.json` or `production.json`. */
const CALLABLE_JSON = /^(?:apps?|servers?|deploy\w*|(?:[\w.-]+[.-])?(?:pm2|ecosystem|dev|prod|stag)\w*)\.json$/i;

export function isScriptLikePm2(name: string): boolean {
  return /^ecosystem[\w.-]*\.(?:[cm]?ts|[cm]?js)$/i.test(name) && !/\.config\.[cm]?js$/i.test(name);
}

export function mayCallPm2(path: string): boolean {
  const name = baseName(path);
  return (
    name === "package.json" ||
    name === "project.json" ||
    /^(?:Dockerfile|Containerfile|Procfile|Makefile|Jenkinsfile|justfile)(?:$|\.)/i.test(name) ||
    /\.(?:sh|bash|ya?ml|service)$/i.test(name) ||
    /^readme(?:\.md)?$/i.test(name)
  );
}

export function folderOf(path: string): string {
  return path.includes("/") ? path.slice(0, path.lastIndexOf("/")) : ".";
}

/** `.` and `..` are resolved; above the root there is nothing. */
export function joinPath(folder: string, path: string): string {
  const parts: string[] = [];
  for (const part of `${folder}/${path}`.split("/")) {
    if (part === "..") parts.pop();
    else if (part !== "." && part !== "") parts.push(part);
  }
  return parts.join("/") || ".";
}

export function packageFolderOf(path: string, packages: readonly string[]): string {
  const around = packages.filter((folder) => path.startsWith(`${folder}/`));
  return around.toSorted((a, b) => b.length - a.length)[0] ?? ".";
}

export interface Surveyor {
  /** Lists the files of a repository and reads some texts. Runs no file and follows no link. */
  read(root: string): Promise<Survey>;
  /** Returns those words that no file of the repository names; env files and `svcm.yaml` do not count. */
  unmentioned(root: string, words: readonly string[]): Promise<string[]>;
}

export interface HasSurvey {
  readonly survey: Surveyor;
}
