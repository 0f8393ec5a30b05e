import type { BootReport, DaemonReport } from "../api/boot.ts";
import type { Issue } from "../api/issue.ts";
import { findingsOf, toIssue } from "../findings/rule.ts";
import {
  type BootFacts,
  type BootRule,
  type DaemonFacts,
  type FoundFact,
  NOT_COMPARED,
  isInUse,
  unitsOfHome,
} from "./facts.ts";
import { daemonRules } from "./rules-daemon.ts";
import { restoreCommand, survivorsText } from "../pm2/daemon-traces.ts";
import { listRules } from "./rules-list.ts";
import { unitRules } from "./rules-unit.ts";
import { formatSecond } from "../words/time.ts";
import { nameList, shellQuote } from "../words/text.ts";
import { appKind } from "../running/code-evidence.ts";
import { SvcmError } from "../api/errors.ts";
import type { HasClock } from "../files/ports.ts";
import type { BootOutlook, HasBootOutlook } from "../rollout/port-deployed.ts";
import type { BootPorts } from "./ports.ts";
import { readBootFacts, readMachineFacts } from "./read-facts.ts";

/** One of these means that svcm does not know. */
const UNKNOWN = new Set([
  "UNIT_UNKNOWN",
  "BOOT_RUNNING_UNKNOWN",
  "BOOT_LIST_UNREADABLE",
  "BOOT_DECLARED_UNKNOWN",
  "BOOT_FOREGROUND",
]);

function bootFindings(facts: BootFacts): FoundFact[] {
  if (facts.daemon?.isForeground === true) return [...findingsOf([foreground], facts)];
  return [...findingsOf(unitRules, facts), ...findingsOf(listRules, facts), ...findingsOf(appRules, facts)];
}

export function daemonFindings(facts: DaemonFacts): FoundFact[] {
  return [...findingsOf(daemonRules, facts)];
}

/** Would the machine come back as it runs, and as it is declared? */
export function bootReport(facts: BootFacts): BootReport {
  const { home, system, saved, running, declared, daemon } = facts;
  const findings = bootFindings(facts);
  const { state, path, savedAtMs, processes, copy } = saved;
  return {
    verdict: verdictOf(findings),
    home,
    owner: system.owner?.name ?? null,
    system: system.isBooted ? "systemd" : "unknown",
    units: system.units
      .filter(({ isOfHome }) => isOfHome)
      .map(({ name, path: file, scope, user, isEnabled, starts }) => ({
        name,
        path: file,
        scope,
        user,
        isEnabled,
        starts,
      })),
    saved: {
      state,
      path,
      savedAt: savedAtMs === null ? null : new Date(savedAtMs).toISOString(),
      savedBySvcm: copy === null ? null : copy.isCurrent,
      starts: processes.filter(({ status }) => status !== "stopped").length,
      processes: processes.length,
    },
    running: running === null ? null : running.length,
    daemonPid: daemon?.pid ?? null,
    comparedWith: declared.file,
    findings: findings.map(toBootFinding),
  };
}

function verdictOf(findings: readonly FoundFact[]): BootReport["verdict"] {
  if (findings.some(({ severity }) => severity === "error")) return "no";
  return findings.some(({ code }) => UNKNOWN.has(code)) ? "unknown" : "yes";
}

export function daemonReport(facts: DaemonFacts): DaemonReport {
  const { home, daemons, nodeVersion, library, wantedNode } = facts;
  return {
    home,
    library,
    wantedNode,
    daemons:
      daemons?.map(({ isOwn, nodePath, nodeFile, uid: _uid, secretNames: _names, ...daemon }) => ({
        ...daemon,
        isOwn,
        nodePath,
        nodeFile,
        nodeVersion: isOwn ? nodeVersion : null,
      })) ?? null,
    findings: daemonFindings(facts).map(toBootFinding),
  };
}

function toBootFinding({ command, ...finding }: FoundFact): BootReport["findings"][number] {
  const { code, severity, path, message } = toIssue(finding);
  return { code, severity, path: [...path], message, command };
}

/** In a report of everything, a machine that does not come back is a warning: it may be one of a developer. */
export function bootIssues(boot: BootFacts, daemon: DaemonFacts, check: string): Issue[] {
  const warnings = bootFindings(boot).map((finding): FoundFact => ({ ...finding, severity: "warning" }));
  return [...warnings, ...daemonFindings(daemon)].map(({ command: _command, ...finding }) => toIssue(finding, [check]));
}

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
  *check({ saved, missingScripts, declared }) {
    const gone = new Map(
      saved.processes.flatMap(({ name, script, status }) =>
        script !== null && status !== "stopped" && missingScripts.has(script) ? [[name, script]] : [],
      ),
    );
    for (const [name, script] of gone)
      yield {
        path: [name],
        message: `${name}: the saved list starts ${script}, which does not exist`,
        command: declared.names.includes(name) ? "svcm apply" : "svcm explain BOOT_SCRIPT_GONE",
      };
  },
};

const interpreters: BootRule = {
  code: "BOOT_INTERPRETER_GONE",
  severity: "error",
  *check({ saved, declared }) {
    const gone = new Map(
      saved.processes.flatMap(({ name, missingInterpreter: one, status }) =>
        one === null || status === "stopped" ? [] : [[name, one]],
      ),
    );
    for (const [name, interpreter] of gone) {
      const what = interpreter.startsWith("/")
        ? `${interpreter} does not exist`
        : `no folder of its saved PATH has ${interpreter}`;
      yield {
        path: [name],
        message: `${name} cannot start: ${what}`,
        command: declared.names.includes(name)
          ? `svcm restart ${shellQuote(name)} --ecosystem`
          : "svcm explain BOOT_INTERPRETER_GONE",
      };
    }
  },
};

const dead: BootRule = {
  code: "DAEMON_DEAD",
  severity: "error",
  *check({ running, silence, daemon, saved, traces }) {
    const { pid, signMs, savedNames } = traces;
    if (running !== null || silence !== null || daemon !== null || pid === null || saved.processes.length === 0) return;
    const when = signMs === null ? "" : ` after ${formatSecond(signMs)}`;
    const message = `PM2's daemon, pid ${pid}, ended without a message${when}: it was killed, or the machine stopped.${survivorsText(traces)} The saved list has ${nameList(savedNames)}`;
    yield { path: ["daemon"], message, command: restoreCommand(traces) };
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
const foreground: BootRule = {
  code: "BOOT_FOREGROUND",
  severity: "warning",
  *check({ daemon }) {
    if (daemon?.isForeground !== true) return;
    const message = `PM2 runs in the foreground, pid ${daemon.pid}: what starts it, such as a container with pm2-runtime, decides what comes back`;
    yield { path: ["daemon"], message, command: "svcm plan" };
  },
};

/** About single saved apps, and about what cannot be compared. */
const appRules: readonly BootRule[] = [foreground, dead, silent, jobs, scripts, interpreters, undeclared];

export function createBootOutlook(ports: BootPorts): BootOutlook {
  let last: ReturnType<BootOutlook["last"]>;
  return {
    last: () => last,
    async look() {
      last = await orUndefined(readBootErrors(ports));
    },
    async apps() {
      return (await orUndefined(readAppWarnings(ports))) ?? [];
    },
  };
}

/** An answer about the machine must not fail because of this. */
async function orUndefined<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof SvcmError) return undefined;
    throw error;
  }
}

const FIRST_LOOK_MS = 60_000;
const LOOK_MS = 300_000;

/** Ends with the signal. */
export async function watchBoot({ bootOutlook, clock }: HasBootOutlook & HasClock, signal: AbortSignal): Promise<void> {
  for (let waitMs = FIRST_LOOK_MS; ; waitMs = LOOK_MS) {
    await clock.sleep(waitMs, signal).catch(() => undefined);
    if (signal.aborted) return;
    await bootOutlook.look();
  }
}

async function readBootErrors(ports: BootPorts): Promise<Issue[]> {
  const facts = await readBootFacts(ports, { environment: undefined }, {});
  const errors = bootFindings(facts).filter(({ severity }) => severity === "error");
  return errors.map(({ command: _command, ...finding }) => toIssue(finding));
}

async function readAppWarnings(ports: BootPorts): Promise<Issue[]> {
  const facts = await readMachineFacts(ports);
  if (facts.saved.state !== "read" || facts.running === null || facts.daemon?.isForeground) return [];
  return Array.from(findingsOf(listRules, { ...facts, endingUnit: null, declared: NOT_COMPARED }), (finding) => {
    const { command, message, ...rest } = finding;
    return toIssue({ ...rest, severity: "warning", message: `after a reboot: ${message}. Next: ${command}` });
  });
}
