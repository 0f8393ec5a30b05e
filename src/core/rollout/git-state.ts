import type { Plan } from "../api/rollout.ts";
import { DEPLOYMENTS_FILE } from "../deployments/file.ts";
import type { EcosystemContent } from "../pm2/ecosystem-file.ts";
import type { Ports } from "../ports/index.ts";
import { resolvePath } from "../project/resolve.ts";
import { PROJECT_FILE } from "../project/project.ts";

/** Git runs while the ecosystem file is read. */
export async function gitState(
  { revisions, workspace }: Ports,
  reading: EcosystemContent | Promise<EcosystemContent>,
): Promise<Plan["git"]> {
  const state = await revisions.state(async () => {
    const { loaded } = await reading;
    const envFiles = (loaded?.apps ?? []).flatMap(({ places }) => places.envFiles.map(({ path }) => path));
    const own = [DEPLOYMENTS_FILE, PROJECT_FILE].map((name) => resolvePath(workspace.root, name));
    return [...new Set([...(loaded?.files ?? []), ...envFiles, ...own])];
  });
  const prefix = `${workspace.root}/`;
  return state === undefined
    ? null
    : { commit: state.commit, dirty: state.dirty.map((path) => path.replace(prefix, "")) };
}
