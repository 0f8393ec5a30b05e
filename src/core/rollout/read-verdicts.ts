import type { RolloutPorts } from "./ports.ts";
import type { EcosystemContent } from "../pm2/ecosystem-file.ts";
import type { ProcessRecord } from "../pm2/process-record.ts";
import { type LoadedPaths, settingsInTexts, settingsInValues, unnamedEnvFiles } from "../running/loaded-paths.ts";
import {
  type Digest,
  type NamedByStart,
  readEnvFileContents,
  readEnvValues,
  type EnvFileContents,
  readStartCommand,
} from "../running/env-files.ts";
import { readValues, type ValuesRequest } from "../running/read-values.ts";
import { verdictOfFiles, type ValuesVerdict } from "../running/values.ts";
import type { Verdicts, Verdict } from "../running/code-evidence.ts";
import { type ExpectedApp, environmentsAt } from "./expected.ts";
import { type AppliedState, formerKeys } from "./release.ts";
import { groupBy, ownMember } from "../words/record.ts";
import type { HasFacts, HasWorkspace } from "../project/port-repository.ts";
import { visibleKeys } from "../env/runtime-keys.ts";
import { allEnvPaths, envLayerPaths, envServices, looseEnvPaths } from "../project/env-layers.ts";
import type { HasFiles, HasStamps } from "../files/ports.ts";
import { DEPLOYMENTS_FILE } from "../deployments/file.ts";
import type {
  AppCode,
  CodeProcess,
  CodeRequest,
  HasRunningCode,
  StartRecord,
  Uncommitted,
} from "../running/port-running-code.ts";
import { PROJECT_FILE } from "../project/project.ts";
import { resolvePath } from "../project/resolve.ts";
import { rootRelative } from "../words/text.ts";

export type VerdictContent = Pick<EcosystemContent, "loaded" | "contract" | "fileName" | "name">;

interface VerdictRequest {
  readonly content: VerdictContent;
  readonly expected: readonly ExpectedApp[];
  /** Every process of this PM2. */
  readonly running: readonly ProcessRecord[];
  readonly appliedApps: AppliedState["apps"];
  /** With the key of this PM2, because records of starts are compared with it. */
  readonly digest: Digest;
  readonly budgetMs: number;
}

export interface Looked {
  readonly code: CodeLook;
  readonly values: ReadonlyMap<number, ValuesVerdict>;
  readonly verdicts: Verdicts;
}

/** Looks at the code and the values of the declared apps, and of the processes that run them. */
export async function readVerdicts(
  ports: RolloutPorts,
  { content, expected, running, appliedApps, digest, budgetMs }: VerdictRequest,
): Promise<Looked> {
  const facts = await readAppValues(ports, content, expected, appliedApps);
  const pathsOf = ({ layers, envFiles, unnamed }: (typeof facts.apps)[number]): string[] => [
    ...layers,
    ...envFiles,
    ...unnamed,
  ];
  const paths = facts.apps.flatMap(pathsOf);
  const contents = await readEnvFileContents(ports, paths, digest);
  const filesOf = new Map(facts.apps.map((app) => [app.name, knownContents(pathsOf(app), contents)]));
  const others = [...facts.named.filter((path) => !facts.loose.includes(path)), ...paths];
  const namedBy = await readNamedSettings(ports, facts.apps, pathsOf);
  const compiledBy = new Map(facts.apps.map(({ name, compiled }) => [name, compiled]));
  const code = await readCode(ports, expected, running, { budgetMs, filesOf, namedBy, compiledBy, others });
  const records = new Map(code.apps.flatMap((app) => [...app.records]));
  const recordOf = ({ pmId }: ProcessRecord) => records.get(pmId);
  const values = await readValues(ports, { ...facts, running, contents, recordOf });
  const ofFiles = new Map([...values].map(([pmId, verdict]) => [pmId, verdictOfFiles(verdict)]));
  return { code, values, verdicts: { code: code.verdicts, values: ofFiles } };
}

/** By app: settings that its start names in a file, or that a value of its env files names. */
async function readNamedSettings(
  { files }: HasFiles,
  apps: AppFacts["apps"],
  envFilesOf: (app: AppFacts["apps"][number]) => readonly string[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const values = await readEnvValues({ files }, apps.flatMap(envFilesOf));
  return new Map(
    apps.map((app) => {
      const ofValues = envFilesOf(app).flatMap((path) => settingsInValues(values.get(path) ?? {}, app.cwd));
      return [app.name, [...settingsInTexts(app.texts, app.cwd), ...ofValues]];
    }),
  );
}

/** The system does not record when a file that does not exist was deleted, so it is not recorded. */
function knownContents(
  paths: readonly string[],
  contents: EnvFileContents,
): Record<string, Readonly<Record<string, string>>> {
  return Object.fromEntries(
    paths.flatMap((path) => {
      const content = contents.get(path);
      return content === null || content === undefined ? [] : [[path, content]];
    }),
  );
}

interface AppFacts extends Pick<ValuesRequest, "declaredIn" | "sources" | "visibleKeys" | "listedKeys"> {
  readonly apps: readonly (ValuesRequest["apps"][number] &
    Pick<NamedByStart, "texts" | "compiled"> & { readonly cwd: string })[];
  /** Env files of every service and environment. */
  readonly named: readonly string[];
  /** Those of them that no app is known to read. */
  readonly loose: readonly string[];
}

/** Returns what an ecosystem file and `svcm.yaml` say about the values of the apps. */
async function readAppValues(
  { facts, files, stamps, workspace }: HasFacts & HasFiles & HasStamps & HasWorkspace,
  {
    loaded,
    contract,
    fileName,
    name: environment,
  }: Pick<EcosystemContent, "loaded" | "contract" | "fileName" | "name">,
  expected: readonly ExpectedApp[],
  appliedApps: AppliedState["apps"],
): Promise<AppFacts> {
  const project = await facts.project();
  const named = allEnvPaths(workspace, { project, contract });
  const own = allEnvPaths(workspace, { project, contract }, [environment]);
  const findUnnamed = unnamedEnvFiles(stamps, { root: workspace.root, environment, named, own });
  return {
    named,
    loose: looseEnvPaths(workspace, { project, contract }, environment),
    declaredIn: fileName,
    sources: loaded?.files ?? [],
    visibleKeys: new Set(visibleKeys(contract)),
    listedKeys: new Set(Object.keys(contract.keys)),
    apps: await Promise.all(
      expected.map(async (app) => {
        const start = await readStartCommand({ files, stamps }, app.command);
        const { envFiles: ofStart, texts, compiled } = start;
        const cwd = start.folder ?? app.cwd;
        return {
          name: app.name,
          cwd,
          texts,
          compiled,
          environments: app.environments,
          openKeys: app.openKeys,
          copiesShell: app.copiesShell,
          envFiles: app.envFiles,
          layers: [
            ...envServices(project, workspace.root, { ...app, cwd }).flatMap((service) =>
              envLayerPaths(workspace, { project, contract }, environment, service),
            ),
            ...ofStart,
          ],
          unnamed: findUnnamed({ cwd, envFiles: [...app.envFiles, ...ofStart] }),
          environmentsAt: (position) => environmentsAt(app, position),
          formerKeysOf: (process) => formerKeys(ownMember(appliedApps, app.name), process),
        };
      }),
    ),
  };
}

/** For a list, an old answer is better than a late one. */
export const LIST_BUDGET_MS = 500;
export const PLAN_BUDGET_MS = 2000;

interface CodeLook {
  readonly requests: readonly CodeRequest[];
  readonly apps: readonly AppCode[];
  readonly verdicts: ReadonlyMap<number, Verdict>;
}

export interface CodeLookOptions {
  readonly budgetMs: number;
  /** By app: to be recorded with a start, digests of the env files that it reads. */
  readonly filesOf: ReadonlyMap<string, StartRecord["envFiles"]>;
  /** By app: settings that are not named by its declaration alone. */
  readonly namedBy: ReadonlyMap<string, readonly string[]>;
  /** By app: patterns of what it compiles while it runs. */
  readonly compiledBy: ReadonlyMap<string, readonly string[]>;
  /** Files that are not code. */
  readonly others: readonly string[];
}

/** Looks at the code of the declared apps and of their processes. */
async function readCode(
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
  { filesOf, namedBy, compiledBy, others: more }: Omit<CodeLookOptions, "budgetMs">,
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
        exclude: [...exclude, ...(compiledBy.get(app) ?? [])],
        others,
        siblings: [...new Set(expected.filter(({ name }) => name !== app).map(({ script }) => script))],
        loads: withSettings(declared.loads, namedBy.get(app)),
        envFiles: filesOf.get(app) ?? {},
        processes: processes.flatMap((record) => toCodeProcess(record, declared)),
      },
    ];
  });
}

function withSettings(loads: LoadedPaths, more: readonly string[] = []): LoadedPaths {
  return { ...loads, settings: [...new Set([...(loads.settings ?? []), ...more])] };
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

/** Tracked code of these apps that differs from a commit, by default the current one. Relative to the root, if it is below it. */
export async function listUncommitted(
  { runningCode, workspace }: HasRunningCode & HasWorkspace,
  code: readonly CodeRequest[],
  commit?: string,
): Promise<Uncommitted> {
  if (code.length === 0) return { paths: [], problem: null };
  const { paths, problem } = await runningCode.listUncommitted(code, commit);
  return { paths: [...new Set(paths.map((path) => rootRelative(workspace.root, path)))], problem };
}
