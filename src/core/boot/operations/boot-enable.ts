import { defineOperation } from "../../access/operation.ts";
import { withAudit } from "../../access/with-audit.ts";
import { SvcmError } from "../../api/errors.ts";
import { planUnit, requireRights, requireSystemd } from "../plan-unit.ts";
import type { MachineUser, SystemFacts } from "../port-units.ts";
import type { BootPorts } from "../ports.ts";

export interface BootEnableResponse {
  readonly name: string;
  readonly scope: "system" | "user";
  readonly user: string;
  readonly home: string;
  readonly text: string;
  /** Units that are disabled, and that `svcm boot disable` enables again. */
  readonly replaced: readonly string[];
  /** False if it was only printed. */
  readonly isEnabled: boolean;
  /** The daemon that already runs, which stays as it is. */
  readonly daemonPid: number | null;
}

/** Starts and stops nothing. */
export const bootEnable = defineOperation({
  id: "boot.enable",
  access: "admin",
  refusal: "INVALID_REQUEST",
  async run(ports: BootPorts, { user: name, print }, caller): Promise<BootEnableResponse> {
    const { units, host, savedLists, processes, daemons, workspace } = ports;
    const user = findUser(ports, name, await units.read(workspace.pm2Home));
    const home = homeOf(ports, user, name);
    const system = await units.read(home);
    const saved =
      home === workspace.pm2Home ? await savedLists.read((value) => processes.digest(value)) : { processes: [] };
    const digest = (bytes: Uint8Array): string => host.digest(bytes);
    const unit = planUnit({ system, user, home, saved, program: units.program(), digest });
    const running = (await daemons.list())?.find((daemon) => daemon.home === home);
    const { scope, text, replaced } = unit;
    const response = { name: unit.name, scope, user: user.name, home, text, replaced, daemonPid: running?.pid ?? null };
    if (print) return { ...response, isEnabled: false };
    await withAudit(
      ports,
      caller,
      () => ({ action: "boot.enable", target: unit.name }),
      async (begin) => {
        requireRights(system, user, replaced, system.units);
        requireSystemd(system);
        await begin();
        await units.enable(unit);
      },
    );
    return { ...response, isEnabled: true };
  },
});

/** As root, the owner of PM2_HOME, so that no app runs as root by accident. */
function findUser({ units }: BootPorts, name: string | undefined, { owner, current }: SystemFacts): MachineUser {
  const user = name === undefined ? (current.uid === 0 ? (owner ?? current) : current) : units.findUser(name);
  if (user !== undefined) return user;
  throw new SvcmError("INVALID_REQUEST", {
    code: "USER_UNKNOWN",
    details: `This machine has no user named ${JSON.stringify(name)}.`,
  });
}

/** With `sudo`, the default PM2_HOME is the one of root. */
function homeOf({ workspace }: BootPorts, user: MachineUser, name: string | undefined): string {
  return name === undefined || workspace.pm2HomeSource !== undefined ? workspace.pm2Home : `${user.folder}/.pm2`;
}
