import { defineOperation } from "../../access/operation.ts";
import type { BootReport } from "../../api/boot.ts";
import { bootReport } from "../examine.ts";
import type { BootPorts, MachineUser, SystemFacts } from "../ports.ts";
import { readBootFacts } from "../read-facts.ts";
import { withAudit } from "../../access/with-audit.ts";
import { SvcmError } from "../../api/errors.ts";
import { planUnit, requireRights, requireSystemd } from "../unit-text.ts";

/** Changes nothing and starts no daemon. Never returns a value of an app. */
export const bootShow = defineOperation({
  id: "boot.show",
  access: "read",
  async run(ports: BootPorts, input, caller): Promise<BootReport> {
    return bootReport(await readBootFacts(ports, input, caller));
  },
});

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
    await withAudit(ports, caller, { action: "boot.enable", target: unit.name }, async ({ begin }) => {
      requireRights(system, user, replaced, system.units);
      requireSystemd(system);
      await begin();
      await units.enable(unit);
    });
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

export interface BootDisableResponse {
  /** The removed unit; null without one for this PM2. */
  readonly name: string | null;
  readonly home: string;
  /** Units that are enabled again. */
  readonly enabled: readonly string[];
  /** The user goes on lingering, because PM2 would end without it. */
  readonly keepsLinger: boolean;
}

/** Removes what `svcm boot enable` wrote, and nothing else. PM2 and its apps run on. */
export const bootDisable = defineOperation({
  id: "boot.disable",
  access: "admin",
  async run(ports: BootPorts, { user: name }, caller): Promise<BootDisableResponse> {
    const { units, workspace, daemons } = ports;
    const user = name === undefined ? undefined : units.findUser(name);
    const home =
      user === undefined || workspace.pm2HomeSource !== undefined ? workspace.pm2Home : `${user.folder}/.pm2`;
    const system = await units.read(home);
    const own = system.units.find((unit) => unit.isOfHome && unit.starts === "svcm");
    if (own === undefined) return { name: null, home, enabled: [], keepsLinger: false };
    const isRunning = ((await daemons.list()) ?? []).some((daemon) => daemon.home === home);
    return await withAudit(ports, caller, { action: "boot.disable", target: own.name }, async ({ begin }) => {
      requireSystemd(system);
      await begin();
      await units.disable({ ...own, madeLinger: own.madeLinger && !isRunning });
      return { name: own.name, home, enabled: own.replaced, keepsLinger: own.madeLinger && isRunning };
    });
  },
});
