import { defineOperation } from "../../access/operation.ts";
import { withAudit } from "../../access/with-audit.ts";
import { requireSystemd } from "../plan-unit.ts";
import type { BootPorts } from "../ports.ts";

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
  refusal: "INVALID_REQUEST",
  async run(ports: BootPorts, { user: name }, caller): Promise<BootDisableResponse> {
    const { units, workspace, daemons } = ports;
    const user = name === undefined ? undefined : units.findUser(name);
    const home =
      user === undefined || workspace.pm2HomeSource !== undefined ? workspace.pm2Home : `${user.folder}/.pm2`;
    const system = await units.read(home);
    const own = system.units.find((unit) => unit.isOfHome && unit.starts === "svcm");
    if (own === undefined) return { name: null, home, enabled: [], keepsLinger: false };
    const isRunning = ((await daemons.list()) ?? []).some((daemon) => daemon.home === home);
    return await withAudit(
      ports,
      caller,
      () => ({ action: "boot.disable", target: own.name }),
      async (begin) => {
        requireSystemd(system);
        await begin();
        await units.disable({ ...own, madeLinger: own.madeLinger && !isRunning });
        return { name: own.name, home, enabled: own.replaced, keepsLinger: own.madeLinger && isRunning };
      },
    );
  },
});
