import type { BootReport, DaemonReport } from "../api/boot.ts";
import type { Issue } from "../api/issue.ts";
import { findingsOf, toIssue } from "../findings/rule.ts";
import type { BootFacts, DaemonFacts, FoundFact } from "./facts.ts";
import { daemonRules } from "./rules-daemon.ts";
import { appRules, foreground } from "./rules-app.ts";
import { listRules } from "./rules-list.ts";
import { unitRules } from "./rules-unit.ts";

/** One of these means that svcm does not know. */
const UNKNOWN = new Set([
  "UNIT_UNKNOWN",
  "BOOT_RUNNING_UNKNOWN",
  "BOOT_LIST_UNREADABLE",
  "BOOT_DECLARED_UNKNOWN",
  "BOOT_FOREGROUND",
]);

export function bootFindings(facts: BootFacts): FoundFact[] {
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
      daemons?.map(({ isOwn, nodePath, nodeFile, uid: _uid, ...daemon }) => ({
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
