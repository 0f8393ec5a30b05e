/** The place of the records of a project below `PM2_HOME/svcm`. Two projects may have packages of one name. @see CONTRACT section 14 */
import { existsSync } from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";
import { listIfReadable, readIfReadable, realPathIfReadable } from "../files/system.ts";
import { parseRecord } from "../words/record.ts";
import { isReleaseName, isVersionOf, withoutRelease } from "./state-place.ts";

/**
 * Release folders have different names but belong to one service: what says so is its package, else the origin of its
 * Git repository, else the folder that holds the releases.
 */
export function serviceName(root: string): string {
  const { name } = parseRecord(readIfReadable(join(root, "package.json"))) ?? {};
  const origin = /([^/:]+?)(?:\/?\.git)?\/*$/.exec(readOrigin(join(root, ".git")).url ?? "")?.[1];
  const text = typeof name === "string" && name !== "" ? name : (origin ?? folderName(root));
  return text.replaceAll(/[^\w.-]+/g, "-").replace(/^[.-]+/, "") || "service";
}

/** The first one that is free, or belongs to the project. */
export function serviceFolder(pm2Home: string, root: string): string {
  const own = join(pm2Home, "svcm");
  const real = realPathIfReadable(root);
  // A release of svcm deploy.
  const [service = ""] = isInside(real, own) ? real.slice(own.length + 1).split("/") : [];
  if (service !== "") return join(own, service);
  const name = serviceName(root);
  const project = readProject(real);
  for (let count = 1; ; count += 1) {
    const folder = join(own, count === 1 ? name : `${name}-${count}`);
    const owner = readOwner(folder);
    // A look at running processes notes them before an apply writes the owner.
    if (owner === undefined || isSameProject(owner, project)) return folder;
  }
}

/** To write before the first record; `undefined` if the folder has it. A checkout that was moved takes it over. */
export function ownerRecord(
  pm2Home: string,
  root: string,
): { readonly path: string; readonly text: string } | undefined {
  const path = join(serviceFolder(pm2Home, root), OWNER_FILE);
  const real = realPathIfReadable(root);
  const owner = parseOwner(path);
  if (isInside(real, join(pm2Home, "svcm")) || (owner !== undefined && existsSync(owner.root))) return undefined;
  return { path, text: JSON.stringify(readProject(real)) };
}

function isInside(path: string, folder: string): boolean {
  return path.startsWith(`${folder}/`);
}

const OWNER_FILE = "project.json";

export interface OwnProject {
  readonly root: string;
  /** The address of its origin, or the folder of the repository. Absent without Git. */
  readonly repository?: string | undefined;
  /** Of the root, in the repository. */
  readonly folder: string;
}

/** An older svcm wrote only the root, in its releases. */
function readOwner(folder: string): OwnProject | undefined {
  const owner = parseOwner(join(folder, OWNER_FILE));
  if (owner !== undefined) return owner;
  const releases = join(folder, "releases");
  for (const id of listIfReadable(releases).toSorted().toReversed()) {
    const [first = ""] = readIfReadable(join(releases, id, "journal.jsonl")).split("\n", 1);
    const { root } = parseRecord(first) ?? {};
    if (typeof root === "string") return readProject(root);
  }
  return undefined;
}

function parseOwner(path: string): OwnProject | undefined {
  const owner = parseRecord(readIfReadable(path));
  return typeof owner?.["root"] === "string" ? (owner as unknown as OwnProject) : undefined;
}

export function readProject(root: string): OwnProject {
  return ofDeploy(root) ?? { root, ...ofGit(root) };
}

/** Of a release below a deploy root elsewhere: its checkout, which may be gone. */
function ofDeploy(root: string): OwnProject | undefined {
  const [, above, id] = /^(.+)\/releases\/([^/]+)(?:\/|$)/.exec(root) ?? [];
  if (above === undefined || id === undefined) return undefined;
  const [first = ""] = readIfReadable(join(above, "records", `${id}.jsonl`)).split("\n", 1);
  const { checkout, prefix, source } = parseRecord(first) ?? {};
  if (typeof checkout !== "string" || typeof prefix !== "string" || typeof source !== "string") return undefined;
  return { root: join(checkout, prefix), repository: repositoryName(source), folder: prefix.replace(/\/$/, "") };
}

function ofGit(root: string): Omit<OwnProject, "root"> {
  for (let top = root; ; top = dirname(top)) {
    const { url, folder } = readOrigin(join(top, ".git"));
    if (folder !== undefined)
      return {
        repository: url === undefined ? folder : repositoryName(resolveUrl(top, url)),
        folder: relative(top, root),
      };
    if (dirname(top) === top) return { folder: "" };
  }
}

/** @param path of the folder, or of the file that a worktree and a submodule have instead */
function readOrigin(path: string): { readonly url?: string | undefined; readonly folder?: string } {
  if (!existsSync(path)) return {};
  const [, named] = /^gitdir: (.+?)(?:\/worktrees\/[^/\n]+)?$/m.exec(readIfReadable(path)) ?? [];
  const git = named === undefined ? path : resolve(dirname(path), named);
  const [, url] =
    /^\[remote "origin"\]\n(?:(?:[ \t].*)?\n)*?[ \t]+url = (.+)$/m.exec(readIfReadable(join(git, "config"))) ?? [];
  return { url, folder: realPathIfReadable(basename(git) === ".git" ? dirname(git) : git) };
}

function resolveUrl(top: string, url: string): string {
  return /^(?:[a-z][a-z0-9+.-]*:\/\/|[^/]*:)/i.test(url) ? url : realPathIfReadable(resolve(top, url));
}

/** Equal for the ways to reach one repository: `git@github.com:team/shop.git` and `https://github.com/team/shop`. */
function repositoryName(url: string): string {
  const name = url.replace(/\/+$/, "").replace(/\/?\.git$/, "");
  if (name.startsWith("/")) return name;
  const [, host = "", path = ""] =
    /^(?:[a-z][a-z0-9+.-]*:\/\/)?(?:[^@/]*@)?([^/:]*)(?::\d+(?=\/))?[/:]*(.*)$/i.exec(name) ?? [];
  return `${host}/${path}`.toLowerCase();
}

/** Clones and worktrees, and versions beside each other, are one, and so is a checkout that was moved. */
export function isSameProject(owner: OwnProject, own: OwnProject): boolean {
  const [first, second] = [owner.repository, own.repository];
  const place = realPathIfReadable(owner.root);
  if (place === own.root) return true;
  if (first !== undefined && first === second) return owner.folder === own.folder;
  const isElsewhere = first?.startsWith("/") === false;
  if (isElsewhere && second !== undefined) return false;
  if (withoutRelease(place) === withoutRelease(own.root)) return true;
  if (!existsSync(place)) return !isElsewhere;
  return (first === undefined || second === undefined) && isVersionOf(place, own.root);
}

function folderName(root: string): string {
  const parent = dirname(root);
  return isReleaseName(basename(root)) && parent !== dirname(parent) ? folderName(parent) : basename(root);
}
