import { isPm2Name } from "./pm2-names.ts";
import { copyFileSync, cpSync, constants, existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { inheritOwnerBelow, makePrivateFolder } from "../files/owner.ts";
import { listIfReadable, readEnd, readIfReadable } from "../files/system.ts";
import type { Project } from "../project/project.ts";
import type { ProcessRecord } from "./process-record.ts";
import { deployRootOf, mayWatchState } from "../project/state-place.ts";

import { resolvePath } from "../project/resolve.ts";
import { serviceFolder } from "../project/service-folder.node.ts";

export interface StatePlace {
  readonly root: string;
  readonly pm2Home: string;
  readonly project: Project | undefined;
  readonly list: () => Promise<readonly ProcessRecord[]>;
}

/**
 * The folder of audit, history and tokens. A folder that svcm once had to choose elsewhere stays chosen, so that no
 * later command looks for tokens in another place.
 */
export async function findStateFolder({ root, pm2Home, project, list }: StatePlace): Promise<string> {
  const inside = join(root, ".svcm");
  const deployRoot = deployRootOf(root, existsSync);
  if (deployRoot !== undefined) return takeOver(inside, join(deployRoot, ".svcm"));
  const outside = join(serviceFolder(pm2Home, root), "state");
  if (existsSync(outside)) return outside;
  const isWatched =
    pm2Files(root, project).some((path) => mayWatchState(readIfReadable(path))) ||
    (await isWatchedNow(root, pm2Home, list));
  return isWatched ? takeOver(inside, outside) : inside;
}

function pm2Files(root: string, project: Project | undefined): string[] {
  const declared = Object.values(project?.services ?? {}).flatMap(({ folder, ecosystem }) =>
    Object.values(ecosystem).flatMap((sources) =>
      sources.map(({ file }) => resolvePath(resolvePath(root, folder), file)),
    ),
  );
  const found = [root, join(root, "pm2")].flatMap((folder) =>
    listIfReadable(folder)
      .filter(isPm2Name)
      .map((name) => join(folder, name)),
  );
  return [...new Set([...declared, ...found])];
}

/** PM2 logs each watch that it starts, so most daemons need no question. */
async function isWatchedNow(root: string, pm2Home: string, list: StatePlace["list"]): Promise<boolean> {
  if (
    !existsSync(join(pm2Home, "rpc.sock")) ||
    !readEnd(join(pm2Home, "pm2.log"), LOG_END_BYTES).includes("[Watch] Start watching")
  )
    return false;
  const records = await list().catch(() => []);
  return records.some(({ cwd, watchesDotFolders }) => watchesDotFolders === true && isAtOrAbove(cwd, root));
}

function isAtOrAbove(folder: string | null, root: string): boolean {
  return folder !== null && (folder === root || root.startsWith(`${folder.replace(/\/$/, "")}/`));
}

const LOG_END_BYTES = 2 ** 20;

/** Copies: moving a file out of a watched folder is a change there, too. The audit log is read in both places. */
function takeOver(inside: string, outside: string): string {
  if (existsSync(outside) || inside === outside || !existsSync(inside)) return outside;
  makePrivateFolder(outside);
  const tokens = join(inside, "tokens.json");
  if (existsSync(tokens)) copyFileSync(tokens, join(outside, "tokens.json"), constants.COPYFILE_EXCL);
  for (const name of ["history", "fleet"])
    if (existsSync(join(inside, name)))
      cpSync(join(inside, name), join(outside, name), {
        recursive: true,
        filter: (path) => !/\.svcm-|recorder/.test(path.slice(dirname(inside).length)),
      });
  inheritOwnerBelow(outside);
  return outside;
}
