import { formatSecond } from "../words/seconds.ts";
import { shellQuote } from "../words/shell.ts";
import { appKind } from "../running/verdict.ts";
import { type BootRule, isInUse, unitsOfHome } from "./facts.ts";
import { nameList } from "../words/pluralize.ts";

const jobs: BootRule = {
  code: "BOOT_JOB",
  severity: "error",
  summary: "PM2's own unit runs the job at each boot, because the list was saved while it ran.",
  explanation: "`svcm boot restore` only registers jobs and tasks: a schedule or a user starts them.",
  remedy: "Run `svcm boot save` while the job does not run, or let `svcm boot enable` replace the unit.",
  *check(facts) {
    if (!unitsOfHome(facts).some(({ isEnabled, starts }) => isEnabled && starts === "saved list")) return;
    const saved = facts.saved.processes.filter(
      ({ status, declaration }) => status !== "stopped" && appKind(declaration.settings) !== "service",
    );
    for (const name of new Set(saved.map((one) => one.name)))
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
  summary: "The script that the saved list names does not exist, so a reboot cannot start the app.",
  explanation: "The folder of a release was deleted, or the app moved.",
  remedy: "Run `svcm apply`, which starts the app from where it is declared and saves the list.",
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
  summary:
    "The interpreter of the saved app does not exist, or the saved PATH no longer has it, so a reboot cannot start the app.",
  explanation: "A saved PATH often names one version of Node.js, which the version manager removed later.",
  remedy: "Restart the app with `svcm restart <name> --ecosystem`, then run `svcm boot save`.",
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
  summary: "PM2's daemon ended without a message, and its apps with it.",
  explanation:
    "A daemon that stops on request or by a signal removes `pm2.pid`. This one was killed, for example by the kernel for lack of memory, or the machine lost power.",
  remedy: "Run `svcm boot restore`, which starts what the saved list has.",
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
  summary: "PM2's daemon does not answer, so svcm cannot compare what runs with the saved list (warning).",
  remedy: "Run `svcm list`, which says why PM2 does not answer.",
  *check({ silence }) {
    if (silence !== null)
      yield { path: ["daemon"], message: `what runs is not known: ${silence}`, command: "svcm list" };
  },
};

const undeclared: BootRule = {
  code: "BOOT_DECLARED_UNKNOWN",
  severity: "warning",
  summary: "The ecosystem file cannot be read, so svcm cannot compare the saved list with it (warning).",
  remedy: "Run `svcm ecosystem check`, which names the fault of the file.",
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
  summary: "pm2-runtime runs the apps, so the container decides what comes back, not this machine (warning).",
  explanation:
    "`pm2-runtime` starts what its ecosystem file declares, each time that the container starts. It reads no saved list.",
  remedy: "Give the container a restart policy. `svcm plan` compares what runs with the ecosystem file.",
  *check({ daemon }) {
    if (daemon?.isForeground !== true) return;
    const message = `pm2-runtime, pid ${daemon.pid}, runs the apps: each start of the container starts what its ecosystem file declares`;
    yield { path: ["daemon"], message, command: "svcm plan" };
  },
};

/** About single saved apps, and about what cannot be compared. */
export const appRules: readonly BootRule[] = [foreground, dead, silent, jobs, scripts, interpreters, undeclared];
