import { note, type DeployContext } from "./deploy-context.ts";

export interface ForeignLayout {
  readonly tool: "Capistrano" | "pm2 deploy";
  readonly root: string;
}

/** @param checkout a release of Capistrano, or `source` of `pm2 deploy`, without links */
export async function findForeignLayout(
  checkout: string,
  exists: (path: string) => Promise<boolean>,
): Promise<ForeignLayout | undefined> {
  const [, release, source] = /^(.+)\/releases\/\d{14}$|^(.+)\/source$/.exec(checkout) ?? [];
  const root = release ?? source ?? "";
  if (root === "" || !(await exists(`${root}/current`)) || !(await exists(`${root}/shared`))) return undefined;
  return { tool: release === undefined ? "pm2 deploy" : "Capistrano", root };
}

/** svcm uses it as it is: it adds releases beside the others, and removes only its own. */
export async function noteForeignLayout(context: DeployContext): Promise<void> {
  const { root, ports } = context;
  const found = await findForeignLayout(root.realPath(ports.workspace.root), (path) => root.exists(path));
  if (found === undefined) return;
  const isUsed = root.layout.root === found.root;
  const how = isUsed ? "It is used as it is." : `To use it as it is, set deploy.root to ${found.root} in svcm.yaml.`;
  note(context, `${found.root} has the layout of ${found.tool}. ${how}`);
}
