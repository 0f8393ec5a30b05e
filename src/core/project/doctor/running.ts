import type { Issue } from "../../api/issue.ts";
import { listScrubbed, readProblemContext } from "../../pm2/list-scrubbed.ts";
import { findProblem } from "../../pm2/problem.ts";
import type { ProcessRecord } from "../../pm2/process-record.ts";
import { findingsOf, toIssue } from "../../findings/rule.ts";
import type { Ports } from "../../ports/index.ts";
import type { Pm2Daemon, ServiceAddress } from "../../ports/machine.ts";
import { failures, type DeclaredFiles } from "./file-checks.ts";
import { shownPath } from "./gather-places.ts";
import { runningRules, type NewerFiles } from "./running-rules.ts";

export async function checkRunning(
  ports: Ports,
  apps: readonly DeclaredFiles[],
  { daemon, service }: { readonly daemon: Pm2Daemon | null; readonly service: ServiceAddress },
): Promise<Issue[]> {
  const { root } = ports.workspace;
  const { records, issues } = await listScrubbed(ports).then(
    (list) => ({ records: list, issues: problems(ports, list) }),
    (error: unknown) => ({ records: [], issues: failures("running", error, root) }),
  );
  const running = { daemon, service, newer: records.flatMap((record) => newerFiles(ports, record, apps)) };
  const found = Array.from(findingsOf(runningRules, running), (finding) => toIssue(finding, ["running"]));
  return [...issues, ...found];
}

function problems(ports: Ports, records: readonly ProcessRecord[]): Issue[] {
  const circumstances = readProblemContext(ports, records);
  return records.flatMap((record): Issue[] => {
    const problem = findProblem(record, circumstances);
    if (problem === null) return [];
    const { name, pmId } = record;
    const message = `${name} (id ${pmId}): ${problem.details}`;
    return [{ code: problem.code, severity: "error", path: ["running", name, pmId], message }];
  });
}

/** A file counts only if it is newer for each environment that declares the app. */
function newerFiles({ stamps, workspace }: Ports, record: ProcessRecord, apps: readonly DeclaredFiles[]): NewerFiles[] {
  const { name, pmId, startedAt } = record;
  const declared = apps.filter((app) => app.name === name).map(({ envFiles }) => envFiles);
  if (startedAt === null || declared.length === 0) return [];
  const newer = declared.map((paths) => {
    const states = stamps.read(paths);
    return paths.filter((_, index) => (states[index]?.modifiedMs ?? 0) > startedAt);
  });
  if (newer.some((paths) => paths.length === 0)) return [];
  return [{ name, pmId, files: [...new Set(newer.flat())].map((path) => shownPath(workspace.root, path)) }];
}
