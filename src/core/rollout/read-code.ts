import { ownMember } from "../words/record.ts";
import type { HasFacts, HasWorkspace } from "../project/port-repository.ts";
import { DEPLOYMENTS_FILE } from "../deployments/file.ts";
import type { ProcessRecord } from "../pm2/process-record.ts";

import type { AppCode, CodeProcess, CodeRequest, HasRunningCode } from "../running/port-running-code.ts";
import { PROJECT_FILE } from "../project/project.ts";
import { resolvePath } from "../project/resolve.ts";
import type { StartRecord } from "../running/start-record.ts";
import type { Verdict } from "../running/verdict.ts";
import { groupBy } from "../words/lists.ts";
import type { ExpectedApp } from "./expected.ts";

/** For a list, an old answer is better than a late one. */
export const LIST_BUDGET_MS = 500;
export const PLAN_BUDGET_MS = 2000;

export interface CodeLook {
  readonly requests: readonly CodeRequest[];
  readonly apps: readonly AppCode[];
  readonly verdicts: ReadonlyMap<number, Verdict>;
}

export interface CodeLookOptions {
  readonly budgetMs: number;
  /** By app: to be recorded with a start, digests of the env files that it reads. */
  readonly filesOf: ReadonlyMap<string, StartRecord["envFiles"]>;
  /** Files that are not code. */
  readonly others: readonly string[];
}

/** Looks at the code of the declared apps and of their processes. */
export async function readCode(
  ports: HasFacts & HasRunningCode & HasWorkspace,
  expected: readonly ExpectedApp[],
  running: readonly ProcessRecord[],
  { budgetMs, ...files }: CodeLookOptions,
): Promise<CodeLook> {
  const requests = await listRequests(ports, expected, running, files);
  const apps = await ports.runningCode.inspect(requests, { budgetMs });
  return { requests, apps, verdicts: new Map(apps.flatMap(({ verdicts }) => [...verdicts])) };
}

async function listRequests(
  { facts, workspace }: HasFacts & HasWorkspace,
  expected: readonly ExpectedApp[],
  running: readonly ProcessRecord[],
  { filesOf, others: more }: Pick<CodeLookOptions, "filesOf" | "others">,
): Promise<CodeRequest[]> {
  const services = (await facts.project())?.services ?? {};
  const byName = groupBy(running, ({ name }) => name);
  const own = [DEPLOYMENTS_FILE, PROJECT_FILE].map((name) => resolvePath(workspace.root, name));
  const others = [...new Set([...own, ...more, ...expected.map(({ definedIn }) => definedIn)])];
  return [...groupBy(expected, ({ name }) => name)].flatMap(([app, [declared]]): CodeRequest[] => {
    if (declared === undefined) return [];
    const { folder = ".", code: { include = [], exclude = [] } = {} } = ownMember(services, declared.service) ?? {};
    const processes = byName.get(app) ?? [];
    return [
      {
        app,
        cwd: folderOf(declared, processes),
        script: declared.script,
        ownFolder: declared.declaresCwd ? undefined : declared.cwd,
        folder: folder === "." ? undefined : resolvePath(workspace.root, folder),
        include,
        exclude,
        others,
        loads: declared.loads,
        envFiles: filesOf.get(app) ?? {},
        processes: processes.flatMap((record) => toCodeProcess(record, declared)),
      },
    ];
  });
}

/** PM2 keeps the folder in which an app without a declared one was first started. */
function folderOf({ declaresCwd, cwd }: ExpectedApp, [first]: readonly ProcessRecord[]): string {
  return declaresCwd ? cwd : (first?.cwd ?? cwd);
}

/** Another script or folder is a difference of the definition, whatever its code. */
function toCodeProcess(record: ProcessRecord, declared: ExpectedApp): CodeProcess[] {
  const { pmId, pid, lastStartAt: startedAt, versioning, cwd, script } = record;
  if (pid === null || startedAt === null) return [];
  if (script !== null && script !== declared.script) return [];
  if (declared.declaresCwd && cwd !== null && cwd !== declared.cwd) return [];
  return [{ pmId, pid, startedAt, versioning }];
}
