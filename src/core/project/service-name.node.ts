import { basename, dirname, join } from "node:path";
import { readIfReadable } from "../files/system.ts";
import { parseRecord } from "../words/record.ts";
import { isReleaseName } from "./state-place.ts";

/**
 * Release folders have different names but belong to one service: what says so is its package, else the origin of its
 * Git repository, else the folder that holds the releases.
 */
export function serviceName(root: string): string {
  const { name } = parseRecord(readIfReadable(join(root, "package.json"))) ?? {};
  const text = typeof name === "string" && name !== "" ? name : (originName(root) ?? folderName(root));
  return text.replaceAll(/[^\w.-]+/g, "-").replace(/^[.-]+/, "") || "service";
}

function originName(root: string): string | undefined {
  const folder =
    /^gitdir: (.+)\/worktrees\/[^/\n]+$/m.exec(readIfReadable(join(root, ".git")))?.[1] ?? join(root, ".git");
  const [, url = ""] =
    /^\[remote "origin"\]\n(?:(?:[ \t].*)?\n)*?[ \t]+url = (.+)$/m.exec(readIfReadable(join(folder, "config"))) ?? [];
  return /([^/:]+?)(?:\/?\.git)?\/*$/.exec(url)?.[1];
}

function folderName(root: string): string {
  const parent = dirname(root);
  return isReleaseName(basename(root)) && parent !== dirname(parent) ? folderName(parent) : basename(root);
}
