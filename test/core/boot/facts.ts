import { type BootFacts, type DaemonFacts, NOT_COMPARED } from "../../../src/core/boot/facts.ts";
import type { UnitFacts } from "../../../src/core/boot/ports.ts";
import type { DaemonProcess, SavedList, SavedProcess } from "../../../src/core/pm2/port-daemons.ts";
import type { ProcessRecord } from "../../../src/core/pm2/process-record.ts";
import { record } from "../../support/process-record.ts";

export const HOME = "/home/deploy/.pm2";
const deploy = { name: "deploy", uid: 1001, folder: "/home/deploy" };

export function unit(fields: Partial<UnitFacts> = {}): UnitFacts {
  return {
    name: "svcm-pm2-deploy.service",
    path: "/etc/systemd/system/svcm-pm2-deploy.service",
    text: "",
    scope: "system",
    user: "deploy",
    home: HOME,
    isOfHome: true,
    isEnabled: true,
    starts: "svcm",
    missingNode: null,
    missingProgram: null,
    isLingering: null,
    replaced: [],
    madeLinger: false,
    ...fields,
  };
}

export function daemon(fields: Partial<DaemonProcess> = {}): DaemonProcess {
  return {
    pid: 77,
    home: HOME,
    isOwn: true,
    isForeground: false,
    isSuspended: false,
    pm2Version: "7.0.4",
    user: "deploy",
    uid: 1001,
    nodePath: "/usr/bin/node",
    nodeFile: "present",
    group: "/system.slice/svcm-pm2-deploy.service",
    secretNames: [],
    ...fields,
  };
}

export function online(fields: Partial<ProcessRecord> = {}): ProcessRecord {
  return record({ status: "online", pid: 5, ...fields });
}

export function saved(processes: readonly ProcessRecord[], fields: Partial<SavedList> = {}): SavedList {
  return {
    state: "read",
    path: `${HOME}/dump.pm2`,
    savedAtMs: Date.UTC(2026, 10, 24, 9, 30),
    publicFiles: [],
    processes: processes.map((one): SavedProcess => ({ missingInterpreter: null, ...one })),
    copy: null,
    ...fields,
  };
}

/** A machine that comes back: a unit, a daemon in it, and a list that is what runs. */
export function boot(fields: Partial<BootFacts> = {}): BootFacts {
  return {
    home: HOME,
    system: { isBooted: true, owner: deploy, current: deploy, units: [unit()] },
    saved: saved([online()]),
    running: [online()],
    silence: null,
    traces: { pid: 77, savedNames: ["api"], signMs: null },
    daemon: daemon(),
    endingUnit: null,
    missingScripts: new Set(),
    declared: NOT_COMPARED,
    ...fields,
  };
}

export function withUnits(units: readonly UnitFacts[], isBooted = true): Pick<BootFacts, "system"> {
  return { system: { ...boot().system, isBooted, units } };
}

export function daemonFacts(fields: Partial<DaemonFacts> = {}): DaemonFacts {
  return {
    home: HOME,
    daemons: [daemon()],
    nodeVersion: "20.20.2",
    library: "7.0.4",
    wantedNode: null,
    saved: saved([]),
    renewal: null,
    ...fields,
  };
}
