import { formatSecond } from "../words/seconds.ts";
import { shellQuote } from "../words/shell.ts";
import { appKind } from "../running/verdict.ts";
import { type BootRule, isInUse, unitsOfHome } from "./facts.ts";
import { nameList } from "../words/pluralize.ts";

const jobs: BootRule = {
  code: "BOOT_JOB",
  severity: "error",
  *check(facts) {
    if (!unitsOfHome(facts).some(({ isEnabled, starts }) => isEnabled && starts === "saved list")) return;
    const saved = facts.saved.processes.filter(
      ({ status, declaration }) => status !== "stopped" && appKind(declaration.settings) !== "service",
    );
    for (const name of new Set(saved.map((app) => app.name)))
      yield {
        path: [name],
        message: `${name} runs once at each boot: the list was saved while it ran`,
        command: "svcm boot enable",
      };
  },
};

const scripts: BootRule = {
  code: "BOOT_SCRIPT_GONE",
  severity: "error",
  *check({ saved, missingScripts }) {
    const gone = new Map(
      saved.processes.flatMap(({ name, script }) =>
        script !== null && missingScripts.has(script) ? [[name, script]] : [],
      ),
    );
    for (const [name, script] of gone)
      yield {
        path: [name],
        message: `${name}: the saved list starts ${script}, which does not exist`,
        command: "svcm apply",
      };
  },
};

const interpreters: BootRule = {
  code: "BOOT_INTERPRETER_GONE",
  severity: "error",
  *check({ saved }) {
    const gone = new Map(
      saved.processes.flatMap(({ name, missingInterpreter: one }) => (one === null ? [] : [[name, one]])),
    );
    for (const [name, interpreter] of gone) {
      const what = interpreter.startsWith("/")
        ? `${interpreter} does not exist`
        : `no folder of its saved PATH has ${interpreter}`;
      yield {
        path: [name],
        message: `${name} cannot start: ${what}`,
        command: `svcm restart ${shellQuote(name)} --ecosystem`,
      };
    }
  },
};

const dead: BootRule = {
  code: "DAEMON_DEAD",
  severity: "error",
  *check({ running, silence, daemon, saved, traces: { pid, signMs, savedNames } }) {
    if (running !== null || silence !== null || daemon !== null || pid === null || saved.processes.length === 0) return;
    const when = signMs === null ? "" : ` after ${formatSecond(signMs)}`;
    const message = `PM2's daemon, pid ${pid}, ended without a message${when}: it was killed, or the machine stopped. The saved list has ${nameList(savedNames)}`;
    yield { path: ["daemon"], message, command: "svcm boot restore" };
  },
};

const silent: BootRule = {
  code: "BOOT_RUNNING_UNKNOWN",
  severity: "warning",
  *check({ silence }) {
    if (silence !== null)
      yield { path: ["daemon"], message: `what runs is not known: ${silence}`, command: "svcm list" };
  },
};

const undeclared: BootRule = {
  code: "BOOT_DECLARED_UNKNOWN",
  severity: "warning",
  *check(facts) {
    const { problem } = facts.declared;
    if (problem !== null && isInUse(facts))
      yield {
        path: ["declared"],
        message: `what is declared is not known: ${problem}`,
        command: "svcm ecosystem check",
      };
  },
};

/** The only one where it applies: the saved list and units play no part. */
export const foreground: BootRule = {
  code: "BOOT_FOREGROUND",
  severity: "warning",
  *check({ daemon }) {
    if (daemon?.isForeground !== true) return;
    const message = `pm2-runtime, pid ${daemon.pid}, runs the apps: each start of the container starts what its ecosystem file declares`;
    yield { path: ["daemon"], message, command: "svcm plan" };
  },
};

/** About single saved apps, and about what cannot be compared. */
export const appRules: readonly BootRule[] = [foreground, dead, silent, jobs, scripts, interpreters, undeclared];
