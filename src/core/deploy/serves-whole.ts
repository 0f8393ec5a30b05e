import { SvcmError } from "../api/errors.ts";
import { readEcosystem } from "../pm2/ecosystem-file.ts";
import { listOrEmpty } from "../pm2/list.ts";
import { note, type DeployContext } from "./deploy-context.ts";
import { appNames } from "./find-code.ts";
import { deployOfPath } from "./layout.ts";
import type { ReleaseWorld } from "./port-deploys.ts";

/**
 * Every app of the environment runs the release, also those of services that were not deployed.
 * @param mayBeAbsent after an interruption, PM2 may have lost apps
 */
export async function servesWhole(context: DeployContext, world: ReleaseWorld, mayBeAbsent = false): Promise<boolean> {
  const { root, environment, ports } = context;
  const read = await readEcosystem(world, { environment }).catch((error: unknown) => {
    if (!(error instanceof SvcmError)) throw error;
    // Only that of the requested service was checked.
    note(context, `The ecosystem file of another service cannot be read: ${error.message}`);
  });
  if (read === undefined) return false;
  const { loaded } = read;
  const running = await listOrEmpty(ports.processes);
  const id = deployOfPath(root.layout, `${world.paths.release}/`);
  return (loaded === undefined ? [] : appNames(loaded)).every((name) => {
    const own = running.filter((record) => record.name === name);
    return (
      (mayBeAbsent || own.length > 0) &&
      own.every(({ cwd }) => cwd !== null && deployOfPath(root.layout, `${cwd}/`) === id)
    );
  });
}
