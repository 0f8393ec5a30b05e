import { lstatSync, readFileSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { isInside } from "../find-unit.ts";
import { isRecord, parseRecord } from "../../words/record.ts";

const MAX_PACKAGES = 200;
const DEPENDENCIES = ["dependencies", "optionalDependencies", "peerDependencies"] as const;

/** Folders outside of `node_modules` to which the links of a workspace lead, also from one package to the next. */
export function findLinkedPackages(unit: string): string[] {
  const found = new Set<string>();
  const waiting = [unit];
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    for (const name of readDependencies(folder)) {
      const target = findLink(folder, name);
      if (target === undefined || isInside(target, unit) || found.has(target) || found.size >= MAX_PACKAGES) continue;
      found.add(target);
      waiting.push(target);
    }
  }
  const all = [...found].toSorted();
  return all.filter((one) => !all.some((other) => other !== one && isInside(one, other)));
}

function readDependencies(folder: string): string[] {
  try {
    const content = parseRecord(readFileSync(join(folder, "package.json"), "utf8")) ?? {};
    return DEPENDENCIES.flatMap((member) => (isRecord(content[member]) ? Object.keys(content[member]) : []));
  } catch {
    return [];
  }
}

/** As Node.js looks for it: in `node_modules` of the folder and of each one above. */
function findLink(folder: string, name: string): string | undefined {
  for (let at = folder; ; at = dirname(at)) {
    const path = join(at, "node_modules", name);
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (stats?.isSymbolicLink() === true) return outsideOfModules(path);
    if (stats !== undefined || at === dirname(at)) return undefined;
  }
}

function outsideOfModules(link: string): string | undefined {
  try {
    const target = realpathSync(link);
    return target.includes("/node_modules/") ? undefined : target;
  } catch {
    return undefined;
  }
}
