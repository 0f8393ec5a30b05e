import type { Issue } from "../api/issue.ts";
import type { Plan } from "../api/rollout.ts";
import { severalText } from "../pm2/daemon-traces.ts";
import type { Uncommitted } from "../running/port-running-code.ts";
import { declarationRefusal } from "./control/refusals.ts";
import { declarationsOf } from "../pm2/declared.ts";
import type { EcosystemContent } from "../pm2/ecosystem-file.ts";
import type { ProcessRecord } from "../pm2/process-record.ts";
import { blockingIssues, type BlockingIssue } from "../pm2/rules/index.ts";
import { checkedApps } from "../pm2/rules/rule.ts";
import type { ExpectContext, ExpectedApp } from "./expected.ts";

/** Two apps that both run already do not collide, whatever their variables say. */
export function listConflicts(
  content: EcosystemContent,
  running: readonly ProcessRecord[],
  cpuCores: number,
): Pick<BlockingIssue, "apps" | "issue">[] {
  if (content.loaded === undefined) return [];
  const online = new Set(running.flatMap(({ name, pid, status }) => (pid && status === "online" ? [name] : [])));
  const ecosystem = { file: content, listed: content.listed, cpuCores, apps: checkedApps(content, cpuCores) };
  return blockingIssues(ecosystem).map(({ apps, issue, isAcceptedOnceRunning }) => {
    const isAccepted = isAcceptedOnceRunning && apps.every((name) => online.has(name));
    return { apps, issue: isAccepted ? { ...issue, severity: "warning" } : issue };
  });
}

export function listRefusals(
  { loaded, path }: EcosystemContent,
  expected: readonly ExpectedApp[],
  expecting: ExpectContext,
  root: string,
): Map<string, Issue> {
  if (loaded === undefined) return new Map();
  const declarationOf = declarationsOf(loaded, expecting);
  return new Map(
    [...new Set(expected.map(({ name }) => name))].flatMap((name): [string, Issue][] => {
      const error = declarationRefusal(declarationOf(name), { path, root });
      if (error?.body.code === undefined) return [];
      const { code, details = error.message } = error.body;
      return [[name, { code, severity: "error", path: ["apps", name], message: details }]];
    }),
  );
}

export function deadDaemon(message: string | undefined): Issue[] {
  return message === undefined ? [] : [{ code: "DAEMON_DEAD", severity: "warning", path: ["daemon"], message }];
}

/** A start would run an app twice, and "nothing to do" would be half of the truth. */
export function lostDaemonIssues(pids: readonly number[] = []): Issue[] {
  return pids.length === 0
    ? []
    : [{ code: "DAEMON_SEVERAL", severity: "error", path: ["daemon"], message: severalText(pids) }];
}

export function unknownChanges(git: Plan["git"], { problem }: Uncommitted): Issue[] {
  if (git === null || problem === null) return [];
  const message = `it is not known whether the code of the started apps is that of ${git.commit.slice(0, 10)}: ${problem}`;
  return [{ code: "WORKTREE_UNKNOWN", severity: "warning", path: ["git"], message }];
}
