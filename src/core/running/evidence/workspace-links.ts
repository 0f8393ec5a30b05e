/** Local packages that an app loads: in a workspace, by a link, or as a copy in `node_modules`. */
import { lstatSync } from "node:fs";
import { dirname, join } from "node:path";
import { omitUndefined } from "../../api/omit-undefined.ts";
import { readTextSync } from "../../files/system.ts";
import { isRecord, parseRecord } from "../../words/record.ts";
import { realPath } from "./walk.ts";

const MAX_PACKAGES = 200;
const DEPENDENCIES = ["dependencies", "optionalDependencies", "peerDependencies"] as const;

/** The links of a workspace, and the real folders outside of `node_modules` to which they lead, from package to package. */
export function findWorkspaceLinks(unit: string): Map<string, string> {
  const links = new Map<string, string>();
  const visited = new Set([unit]);
  const waiting = [unit];
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    for (const [name, source] of readDependencies(folder)) {
      const { link = "", target } = findPackage(folder, name, isCopied(source)) ?? {};
      if (target === undefined || visited.size > MAX_PACKAGES) continue;
      links.set(link, target);
      if (visited.has(target)) continue;
      visited.add(target);
      waiting.push(target);
    }
  }
  return links;
}

function readDependencies(folder: string): [name: string, source: unknown][] {
  try {
    const content = parseRecord(readTextSync(join(folder, "package.json"))) ?? {};
    return DEPENDENCIES.flatMap((member) => (isRecord(content[member]) ? Object.entries(content[member]) : []));
  } catch {
    return [];
  }
}

/** Some package managers copy a local package, and copy it again without a change of the lockfile. */
function isCopied(source: unknown): boolean {
  return typeof source === "string" && /^(?:file|workspace|portal):(?!.*\.t(?:ar\.)?gz$)/.test(source);
}

/** As Node.js looks for it: in `node_modules` of the folder and of each one above. */
function findPackage(
  folder: string,
  name: string,
  mayBeCopy: boolean,
): { readonly link: string; readonly target?: string } | undefined {
  for (let at = folder; ; at = dirname(at)) {
    const link = join(at, "node_modules", name);
    const stats = lstatSync(link, { throwIfNoEntry: false });
    const isLink = stats?.isSymbolicLink() === true;
    if (isLink || (mayBeCopy && stats?.isDirectory() === true))
      return { link, ...omitUndefined({ target: localFolder(link, mayBeCopy) }) };
    if (stats !== undefined || at === dirname(at)) return undefined;
  }
}

function localFolder(link: string, mayBeCopy: boolean): string | undefined {
  const target = realPath(link);
  return target === null || (target.includes("/node_modules/") && !mayBeCopy) ? undefined : target;
}
