import { SvcmError } from "../api/errors.ts";
import { KILL_TIMEOUT_MS } from "../pm2/settings.ts";
import type { SavedList } from "../pm2/port-saved-list.ts";
import type { MachineUser, NewUnit, SystemFacts, UnitFacts } from "./ports.ts";
import { unitName, unitText, type UnitInput } from "./unit-text.ts";

interface UnitRequest {
  readonly system: SystemFacts;
  readonly user: MachineUser;
  readonly home: string;
  readonly saved: Pick<SavedList, "processes">;
  readonly program: UnitInput["program"];
  readonly digest: (bytes: Uint8Array) => string;
}

/** An app may be declared with a longer time after the unit was written. */
const MIN_STOP_MS = 45_000;

/** A user without the rights of the system gets a separate unit, which needs lingering. */
export function planUnit({ system, user, home, saved, program, digest }: UnitRequest): NewUnit {
  const scope = system.current.uid === 0 ? "system" : "user";
  const name = unitName({ scope, user, home }, digest);
  const former = system.units.find((unit) => unit.name === name && unit.scope === scope);
  const foreign = system.units.filter((unit) => unit.isOfHome && unit.isEnabled && unit.name !== name);
  const replaced = [...new Set([...(former?.replaced ?? []), ...foreign.map((unit) => unit.name)])];
  const linger = scope === "user" && (former?.madeLinger === true || !isLingering(system.units, former));
  const killMs = saved.processes.map(({ declaration }) => Number(declaration.settings.killTimeout ?? KILL_TIMEOUT_MS));
  const stopMs = Math.max(MIN_STOP_MS, ...killMs);
  return {
    name,
    scope,
    user,
    replaced,
    linger,
    text: unitText({ scope, user, home, program, stopMs, replaced, linger }),
  };
}

function isLingering(units: readonly UnitFacts[], former: UnitFacts | undefined): boolean {
  return former?.isLingering === true || units.some((unit) => unit.isLingering === true);
}

/** @throws {SvcmError} BOOT_FAILED with BOOT_NEEDS_ROOT */
export function requireRights(
  { current }: SystemFacts,
  user: MachineUser,
  replaced: readonly string[],
  scopes: readonly UnitFacts[],
): void {
  if (current.uid === 0) return;
  const ofSystem = replaced.find((name) => scopes.some((unit) => unit.name === name && unit.scope === "system"));
  const reason =
    user.uid === current.uid
      ? ofSystem === undefined
        ? undefined
        : `${ofSystem} of the system starts the same PM2, and only root may disable it`
      : `the unit of another user, ${user.name}, belongs to the system`;
  if (reason !== undefined)
    throw new SvcmError("BOOT_FAILED", {
      code: "BOOT_NEEDS_ROOT",
      details: `${reason[0]?.toUpperCase()}${reason.slice(1)}.`,
      hint: `Run it as root: sudo svcm boot enable --user ${user.name}`,
    });
}

/** @throws {SvcmError} BOOT_FAILED with SYSTEMD_ABSENT */
export function requireSystemd({ isBooted }: SystemFacts): void {
  if (isBooted) return;
  throw new SvcmError("BOOT_FAILED", {
    code: "SYSTEMD_ABSENT",
    details: "systemd does not run this machine, and svcm writes units of systemd only.",
    hint: "For another init system, PM2 prints the command: pm2 startup. In a container, start pm2-runtime.",
  });
}
