import type { Dirent } from "node:fs";
import { readdir, realpath, stat } from "node:fs/promises";
import { join } from "node:path";
import { readSnapshot } from "../files/read.ts";
import { isEnvName } from "../words/env-names.ts";
import { isSkippedFolder, isSurveyed, MAX_DEPTH, type Survey } from "./detect/survey.ts";

const MAX_FILES = 20_000;
const MAX_BYTES = 2 ** 20;
/** A larger repository has more code, but hardly more kinds of it. */
const MAX_TOTAL_BYTES = 64 * 2 ** 20;

export async function surveyFolder(root: string): Promise<Survey> {
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

async function* entriesBelow(
  root: string,
  folder: string,
  depth: number,
): AsyncGenerator<{ path: string; entry: Dirent }> {
  const entries = await readdir(join(root, folder), { withFileTypes: true }).catch(() => []);
  for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
    if (!entry.isDirectory()) yield { path, entry };
    else if (!isSkippedFolder(entry.name) && depth < MAX_DEPTH) yield* entriesBelow(root, path, depth + 1);
  }
}

function readText(path: string): Promise<string | undefined> {
  return readSnapshot(path, path, MAX_BYTES).then(
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
