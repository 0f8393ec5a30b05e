import { type Dirent, existsSync } from "node:fs";
import { readdir, realpath, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { readSnapshot } from "../files/read.ts";
import { readIfReadable } from "../files/system.ts";
import { parseRecord } from "../words/record.ts";
import { PROJECT_FILE } from "../project/project.ts";
import { isEnvName } from "../words/environment-names.ts";
import { isSkippedFolder, isSurveyed, MAX_DEPTH, type Survey, type Surveyor } from "./detect/survey.ts";

const MAX_FILES = 20_000;
const MAX_BYTES = 2 ** 20;
/** A larger repository has more code, but hardly more kinds of it. */
const MAX_TOTAL_BYTES = 64 * 2 ** 20;

async function surveyFolder(root: string): Promise<Survey> {
  const files = new Map<string, string | undefined>();
  const outside = new Map<string, string>();
  const realRoot = await realpath(root).catch(() => root);
  let total = 0;
  for await (const { path, entry } of entriesBelow(root, "", 0)) {
    const target = isEnvName(path) ? await linkedFile(join(root, path), entry) : undefined;
    if (target !== undefined && !target.startsWith(`${realRoot}/`)) {
      outside.set(path, target);
      continue;
    }
    if (target === undefined && !entry.isFile()) continue;
    if (files.size >= MAX_FILES) return { files, isCut: true, outside };
    const text = isSurveyed(path) && total < MAX_TOTAL_BYTES ? await readText(join(root, path)) : undefined;
    total += text?.length ?? 0;
    files.set(path, text);
  }
  return { files, isCut: false, outside };
}

/** Not of the repository itself. */
const FOREIGN_FOLDER = /^(?:node_modules|\.git|\.svcm|vendor|\.?venv)$/;
const MAX_CODE_BYTES = 16 * 2 ** 20;
const MAX_CODE_DEPTH = 16;
const MAX_TEXTS = 50_000;

/**
 * The survey leaves out builds and languages other than JavaScript, so here each file counts, also those of the other
 * packages of a repository.
 * @returns none of the words if not every file could be read
 */
async function findUnmentioned(root: string, words: readonly string[]): Promise<string[]> {
  const open = new Set(words);
  let [total, files] = [0, 0];
  for await (const text of textsAround(root)) {
    if (open.size === 0) return [];
    files += 1;
    total += text?.length ?? 0;
    if (text === undefined || total > MAX_TOTAL_BYTES || files > MAX_TEXTS) return [];
    for (const word of open) if (text.includes(word)) open.delete(word);
  }
  return [...open];
}

/** Those of the root first; `undefined` for what cannot be read. */
async function* textsAround(root: string): AsyncGenerator<string | undefined> {
  let isWhole = true;
  const onUnread = (): void => void (isWhole = false);
  const limits = { isSkipped: isForeign, maxDepth: MAX_CODE_DEPTH, onUnread };
  for (const folder of new Set([root, findRepositoryFolder(root)]))
    for await (const { path, entry } of entriesBelow(folder, "", 0, limits)) {
      const isRepeated = folder !== root && join(folder, path).startsWith(`${root}/`);
      if (!isRepeated && mayMention(entry)) yield await readCode(join(folder, path), entry);
    }
  if (!isWhole) yield undefined;
}

/** The folder above with `.git`, or of the workspace of a package manager; without both, the root itself. */
function findRepositoryFolder(root: string): string {
  const above = [root];
  for (let at = root; at !== dirname(at); at = dirname(at)) above.push(dirname(at));
  return above.find((folder) => existsSync(join(folder, ".git"))) ?? above.find(isWorkspace) ?? root;
}

function isWorkspace(folder: string): boolean {
  const { workspaces } = parseRecord(readIfReadable(join(folder, "package.json"))) ?? {};
  return workspaces !== undefined || existsSync(join(folder, "pnpm-workspace.yaml"));
}

async function readCode(path: string, entry: Dirent): Promise<string | undefined> {
  const real = entry.isFile() ? path : await linkedFile(path, entry);
  return real === undefined ? undefined : await readText(real, MAX_CODE_BYTES);
}

function isForeign(name: string): boolean {
  return FOREIGN_FOLDER.test(name);
}

function mayMention(entry: Dirent): boolean {
  const isText = entry.isFile() || entry.isSymbolicLink();
  return isText && !isEnvName(entry.name) && entry.name !== PROJECT_FILE && !isForeign(entry.name);
}

export const nodeSurveyor: Surveyor = { read: surveyFolder, unmentioned: findUnmentioned };

interface Limits {
  readonly isSkipped: (folder: string) => boolean;
  readonly maxDepth: number;
  /** Called for a folder that cannot be read or is too deep. */
  readonly onUnread?: () => void;
}

async function* entriesBelow(
  root: string,
  folder: string,
  depth: number,
  limits: Limits = { isSkipped: isSkippedFolder, maxDepth: MAX_DEPTH },
): AsyncGenerator<{ path: string; entry: Dirent }> {
  const { isSkipped, maxDepth, onUnread = () => undefined } = limits;
  const entries = await readdir(join(root, folder), { withFileTypes: true }).catch(() => (onUnread(), []));
  for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
    if (!entry.isDirectory()) yield { path, entry };
    else if (isSkipped(entry.name)) continue;
    else if (depth < maxDepth) yield* entriesBelow(root, path, depth + 1, limits);
    else onUnread();
  }
}

function readText(path: string, maxBytes = MAX_BYTES): Promise<string | undefined> {
  return readSnapshot(path, path, maxBytes).then(
    ({ bytes }) => new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes),
    () => undefined,
  );
}

async function linkedFile(path: string, entry: Dirent): Promise<string | undefined> {
  if (!entry.isSymbolicLink()) return undefined;
  try {
    return (await stat(path)).isFile() ? await realpath(path) : undefined;
  } catch {
    return undefined;
  }
}
