import { readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { parseRecord } from "../words/record.ts";

/**
 * Release folders have different names but belong to one service: what says so is its package, else the origin of its
 * Git repository, else the folder that holds the releases.
 */
export function serviceName(root: string): string {
  const { name } = parseRecord(readText(join(root, "package.json"))) ?? {};
  const text = typeof name === "string" && name !== "" ? name : (originName(root) ?? folderName(root));
  return text.replaceAll(/[^\w.-]+/g, "-").replace(/^[.-]+/, "") || "service";
}

function originName(root: string): string | undefined {
  const folder = /^gitdir: (.+)\/worktrees\/[^/\n]+$/m.exec(readText(join(root, ".git")))?.[1] ?? join(root, ".git");
  const [, url = ""] =
    /^\[remote "origin"\]\n(?:(?:[ \t].*)?\n)*?[ \t]+url = (.+)$/m.exec(readText(join(folder, "config"))) ?? [];
  return /([^/:]+?)(?:\/?\.git)?\/*$/.exec(url)?.[1];
}

/** A number, a date, a version or a commit, alone or joined. */
const RELEASE = /^(?:releases?|current|[vr]?\d[\d._T:-]*Z?(?:[-_][0-9a-f]{7,40})?|[0-9a-f]{7,40})$/i;

function folderName(root: string): string {
  const parent = dirname(root);
  return RELEASE.test(basename(root)) && parent !== dirname(parent) ? folderName(parent) : basename(root);
}

function readText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
