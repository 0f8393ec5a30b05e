import { shellQuote } from "../words/text.ts";
import { isInUse, unitOfDaemon, unitsOfHome, type BootFacts, type BootRule } from "./facts.ts";
import type { UnitFacts } from "./ports.ts";

export function systemctl({ scope }: Pick<UnitFacts, "scope">, words: string): string {
  return scope === "user" ? `systemctl --user ${words}` : `sudo systemctl ${words}`;
}

function enableCommand({ system: { owner, current } }: BootFacts): string {
  const isOther = owner !== null && owner.uid !== current.uid;
  return isOther ? `sudo svcm boot enable --user ${shellQuote(owner.name)}` : "svcm boot enable";
}

/** Those that systemd starts with the machine. */
function enabledUnits(facts: BootFacts): readonly UnitFacts[] {
  return unitsOfHome(facts).filter(({ isEnabled }) => isEnabled);
}

const absent: BootRule = {
  code: "UNIT_ABSENT",
  severity: "error",
  *check(facts) {
    const { home, system } = facts;
    if (!isInUse(facts) || !system.isBooted || system.units.length > 0) return;
    yield {
      path: ["unit"],
      message: `systemd has no unit that starts PM2 with PM2_HOME ${home}`,
      command: enableCommand(facts),
    };
  },
};

const otherHome: BootRule = {
  code: "UNIT_HOME",
  severity: "error",
  *check(facts) {
    const { home, system } = facts;
    const foreign = system.units.find((unit) => unit.home !== null);
    if (!isInUse(facts) || foreign === undefined || unitsOfHome(facts).length > 0) return;
    const message = `${foreign.name} starts PM2 with PM2_HOME ${foreign.home}, and no unit starts the one of ${home}`;
    yield { path: ["unit", foreign.name], message, command: enableCommand(facts) };
  },
};

const disabled: BootRule = {
  code: "UNIT_DISABLED",
  severity: "error",
  *check(facts) {
    const [unit] = unitsOfHome(facts);
    if (!isInUse(facts) || unit === undefined || enabledUnits(facts).length > 0) return;
    yield {
      path: ["unit", unit.name],
      message: `${unit.name} is not enabled`,
      command: systemctl(unit, `enable ${unit.name}`),
    };
  },
};

const twice: BootRule = {
  code: "UNIT_TWICE",
  severity: "error",
  *check(facts) {
    const [first, second] = enabledUnits(facts);
    if (first === undefined || second === undefined) return;
    const surplus = first.starts === "svcm" ? second : first;
    yield {
      path: ["unit", surplus.name],
      message: `${first.name} and ${second.name} both start PM2 with PM2_HOME ${facts.home}`,
      command: systemctl(surplus, `disable ${surplus.name}`),
    };
  },
};

const otherUser: BootRule = {
  code: "UNIT_USER",
  severity: "error",
  *check(facts) {
    const { owner } = facts.system;
    for (const unit of enabledUnits(facts)) {
      if (owner === null || unit.user === owner.name) continue;
      yield {
        path: ["unit", unit.name],
        message: `${unit.name} runs as ${unit.user}, but ${facts.home} belongs to ${owner.name}`,
        command: `sudo svcm boot enable --user ${shellQuote(owner.name)}`,
      };
    }
  },
};

const nodeGone: BootRule = {
  code: "UNIT_NODE_GONE",
  severity: "error",
  *check(facts) {
    for (const { name, missingNode } of enabledUnits(facts)) {
      if (missingNode === null) continue;
      const what = missingNode === "node" ? "no folder of its PATH has node" : `${missingNode} does not exist`;
      yield { path: ["unit", name], message: `${name} cannot start PM2: ${what}`, command: enableCommand(facts) };
    }
  },
};

const programGone: BootRule = {
  code: "UNIT_PROGRAM_GONE",
  severity: "error",
  *check(facts) {
    for (const { name, missingProgram } of enabledUnits(facts)) {
      if (missingProgram === null) continue;
      yield {
        path: ["unit", name],
        message: `${name} cannot start PM2: ${missingProgram} does not exist`,
        command: enableCommand(facts),
      };
    }
  },
};

const noLinger: BootRule = {
  code: "UNIT_NO_LINGER",
  severity: "error",
  *check(facts) {
    for (const { name, user, isLingering } of enabledUnits(facts)) {
      if (isLingering !== false) continue;
      yield {
        path: ["unit", name],
        message: `${name} waits until ${user} logs in: lingering is off`,
        command: `loginctl enable-linger ${shellQuote(user)}`,
      };
    }
  },
};

const outside: BootRule = {
  code: "UNIT_OUTSIDE",
  severity: "warning",
  *check(facts) {
    const [unit] = enabledUnits(facts);
    const group = facts.daemon?.group;
    const isInside = unitOfDaemon(enabledUnits(facts), facts.daemon) !== undefined;
    if (unit === undefined || typeof group !== "string" || isInside) return;
    const isSafe = unit.starts === "svcm";
    // Of an empty list, svcm may have a copy.
    const save = facts.running?.length === 0 ? "" : "pm2 save && ";
    const then = isSafe ? "the next boot starts it inside" : "at a shutdown, PM2 may save the apps as stopped";
    yield {
      path: ["unit", unit.name],
      severity: isSafe ? "warning" : "error",
      message: `PM2's daemon, pid ${facts.daemon?.pid}, runs outside of ${unit.name}: ${then}`,
      command: isSafe
        ? `pm2 kill && ${systemctl(unit, `start ${unit.name}`)}`
        : `${save}pm2 kill && ${systemctl(unit, `restart ${unit.name}`)}`,
    };
  },
};

const endsDaemon: BootRule = {
  code: "UNIT_ENDS_DAEMON",
  severity: "warning",
  *check({ daemon, endingUnit, system, running }) {
    if (endingUnit === null || daemon === null || unitOfDaemon(system.units, daemon) !== undefined) return;
    const { name, isOfUser } = endingUnit;
    const apps = running === null || running.length > 0 ? ", and every app with it" : "";
    const folder = isOfUser ? "~/.config/systemd/user" : "/etc/systemd/system";
    const sudo = isOfUser ? "" : "sudo ";
    const write = `printf '[Service]\\nKillMode=process\\n' | ${sudo}tee ${folder}/${name}.d/pm2.conf`;
    yield {
      path: ["unit", name],
      message: `PM2's daemon, pid ${daemon.pid}, was started in ${name}: a stop or restart of that unit ends it${apps}`,
      command: `${sudo}mkdir -p ${folder}/${name}.d && ${write} && ${sudo}systemctl ${isOfUser ? "--user " : ""}daemon-reload`,
    };
  },
};

const unknown: BootRule = {
  code: "UNIT_UNKNOWN",
  severity: "warning",
  *check(facts) {
    if (!isInUse(facts)) return;
    for (const unit of facts.system.units) {
      const isOpaque = unit.isOfHome && unit.isEnabled && unit.starts === "other";
      if (!isOpaque && (unit.home !== null || unitsOfHome(facts).length > 0)) continue;
      const what = isOpaque ? "starts PM2 by its own command" : "takes PM2_HOME from elsewhere";
      const message = `${unit.name} ${what}, so svcm does not know which apps it starts`;
      yield { path: ["unit", unit.name], message, command: `systemctl cat ${unit.name}` };
    }
    if (facts.system.isBooted || enabledUnits(facts).length > 0) return;
    yield {
      path: ["unit"],
      message: "systemd does not run this machine, so svcm does not know what starts PM2 with it",
      command: "pm2 startup",
    };
  },
};

export const unitRules: readonly BootRule[] = [
  absent,
  otherHome,
  disabled,
  twice,
  otherUser,
  nodeGone,
  programGone,
  noLinger,
  outside,
  endsDaemon,
  unknown,
];
