import type { HasRevisions, HasHost } from "../files/ports.ts";
import type { HasWorkspace, HasFacts } from "../project/port-repository.ts";
import type { HasProcesses } from "../pm2/port-processes.ts";
import type { RolloutPorts } from "./ports.ts";
import type { InputOf } from "../api/inputs.ts";
import type { HasProcessLogs } from "../logs/port-logs.ts";
import { deadDaemonText, type Survivor } from "../pm2/daemon-traces.ts";
import { listIfRunning } from "../pm2/list.ts";
import { readEcosystem, type EcosystemContent } from "../pm2/ecosystem-file.ts";
import type { ProcessRecord } from "../pm2/process-record.ts";
import { type EnvironmentRequest, resolvePath } from "../project/resolve.ts";
import { expectedApps, type ExpectContext, type ExpectedApp } from "./expected.ts";
import type { PlanContext } from "./plan.ts";
import type { Issue } from "../api/issue.ts";
import type { Plan } from "../api/rollout.ts";
import { DEPLOYMENTS_FILE } from "../deployments/file.ts";
import { PROJECT_FILE } from "../project/project.ts";
import type { LoadPurpose, HasEcosystems } from "../pm2/ports.ts";
import { SvcmError } from "../api/errors.ts";
import type { LoadedEcosystem } from "../pm2/loaded.ts";

interface StartState {
  readonly expecting: ExpectContext;
  readonly running: readonly ProcessRecord[];
  readonly hasDaemon?: boolean;
  /** A sentence if PM2's daemon was killed. */
  readonly dead?: string | undefined;
  /** Pids of daemons whose apps PM2's list lacks. */
  readonly lost?: readonly number[];
  readonly survivors?: readonly Survivor[];
  readonly context: Pick<PlanContext, "pm2" | "from" | "digest">;
}

interface States {
  readonly start: StartState;
  readonly content: EcosystemContent;
  readonly git: ReturnType<typeof readGitState>;
}

export async function readStates(
  ports: RolloutPorts,
  { environment, service, from }: InputOf<"rollout.plan">,
  preloaded?: EcosystemContent | Promise<EcosystemContent>,
): Promise<States> {
  const place = { environment, service };
  // PM2 and Git respond while the file runs. If several fail, the file's failure is reported.
  const live = from === undefined ? handledLater(readPm2(ports)) : undefined;
  const reading = preloaded ?? readEcosystem(ports, place);
  const git = handledLater(readGitState(ports, reading));
  const content = await reading;
  const start =
    live === undefined
      ? await fromRevision(ports, content, { ...place, revision: from ?? "" })
      : fromPm2(ports, content, await live);
  return { start, content, git };
}

/** Its failure is handled where it is awaited. */
function handledLater<T>(work: Promise<T>): Promise<T> {
  work.catch(() => undefined);
  return work;
}

async function readPm2({ processes, processLogs }: HasProcesses & HasProcessLogs) {
  const { list, digest } = await processes.withHomeKey();
  const running = await listIfRunning({ list });
  const dead = running === undefined ? deadDaemonText(await processLogs.readDaemonTraces()) : undefined;
  const lost = running === undefined ? [] : processes.lostDaemons();
  const survivors = await processes.survivors();
  return { hasDaemon: running !== undefined, running: running ?? [], digest, dead, lost, survivors };
}

function fromPm2(
  ports: HasHost & HasWorkspace,
  content: EcosystemContent,
  { digest, ...live }: Awaited<ReturnType<typeof readPm2>>,
): StartState {
  const pm2 = { home: ports.workspace.pm2Home };
  const expecting = createExpectContext(ports, content, digest);
  return { ...live, expecting, context: { pm2, digest } };
}

async function fromRevision(
  ports: RolloutPorts,
  content: EcosystemContent,
  { revision, ...place }: EnvironmentRequest & { readonly revision: string },
): Promise<StartState> {
  const { commit, loaded } = await readRevision(ports, place, revision);
  const expecting = createExpectContext(ports, content, (value) => ports.processes.digest(value));
  const running = loaded ? simulateApply(expectedApps(loaded, expecting)) : [];
  return { expecting, running, context: { pm2: null, from: { revision, commit } } };
}

function createExpectContext(
  { host, workspace }: HasHost & HasWorkspace,
  { spellings }: EcosystemContent,
  digest: ExpectContext["digest"],
): ExpectContext {
  return { machine: { cpuCores: host.cpuCores(), pm2Home: workspace.pm2Home }, spellings, digest };
}

/** Git runs while the ecosystem file is read. */
export async function readGitState(
  { revisions, workspace }: HasRevisions & HasWorkspace,
  reading: EcosystemContent | Promise<EcosystemContent>,
): Promise<Plan["git"]> {
  const state = await revisions.readState(async () => {
    const { loaded } = await reading;
    const envFiles = (loaded?.apps ?? []).flatMap(({ places }) => places.envFiles.map(({ path }) => path));
    const own = [DEPLOYMENTS_FILE, PROJECT_FILE].map((name) => resolvePath(workspace.root, name));
    return [...new Set([...(loaded?.files ?? []), ...envFiles, ...own])];
  });
  const prefix = `${workspace.root}/`;
  return state === undefined
    ? null
    : { commit: state.commit, dirty: state.dirty.map((path) => path.replace(prefix, "")) };
}

/** Git's silence leaves only times as evidence, so the plan says that it is silent. */
export async function gitIssues({ revisions }: HasRevisions, git: Plan["git"]): Promise<Issue[]> {
  const silence = git === null ? await revisions.refusal() : undefined;
  if (silence === undefined) return [];
  const message = `Without a record of the start, only the times of files show what changed, because Git does not answer: ${silence.message}`;
  return [{ code: silence.code, severity: "warning", path: ["git"], message }];
}

export interface RevisionContent {
  readonly commit: string;
  /** Paths are as in the work tree; `undefined` if the revision does not have the file. */
  readonly loaded: LoadedEcosystem | undefined;
}

/**
 * Runs the file together with the other files of its revision; the layout in `svcm.yaml` comes from the work tree.
 * @throws {SvcmError} REVISION_FAILED, NOT_FOUND, and the errors of `readEcosystem`
 */
function readRevision(
  ports: HasEcosystems & HasFacts & HasRevisions & HasWorkspace,
  request: EnvironmentRequest,
  revision: string,
): Promise<RevisionContent> {
  const { ecosystems, revisions, workspace } = ports;
  const { root } = workspace;
  return revisions.withFiles(revision, async (folder, commit) => {
    const revisionPorts = {
      facts: ports.facts,
      workspace: { ...workspace, root: folder, pm2Dir: rebase(folder, root, workspace.pm2Dir) },
      ecosystems: {
        ...ecosystems,
        load: (path: string, cwd = folder, ...how: [LoadPurpose?, string?]) => ecosystems.load(path, cwd, ...how),
      },
    };
    try {
      const { loaded } = await readEcosystem(revisionPorts, request);
      return { commit, loaded: loaded && (JSON.parse(toWorkTree(JSON.stringify(loaded))) as LoadedEcosystem) };
    } catch (error) {
      if (!(error instanceof SvcmError)) throw error;
      const { details = error.message, path, ...body } = error.body;
      const place = path === undefined ? {} : { path: toWorkTree(path) };
      throw new SvcmError(error.kind, { ...body, ...place, details: `At ${revision}: ${toWorkTree(details)}` });
    }

    function toWorkTree(text: string): string {
      return text.replaceAll(folder, () => root);
    }
  });
}

function rebase(folder: string, root: string, path: string): string {
  if (path === root || path.startsWith(`${root}/`)) return folder + path.slice(root.length);
  throw new SvcmError("INVALID_REQUEST", {
    details: `The ecosystem files are in ${path}, outside of the repository, so they have no revision. Accepted: a folder below ${root}.`,
  });
}

/** PM2's list after an apply to an empty PM2. */
export function simulateApply(expected: readonly ExpectedApp[]): ProcessRecord[] {
  return expected
    .flatMap((app) => Array.from({ length: app.instances }, () => app))
    .map((app, pmId) => ({
      pmId,
      name: app.name,
      uniqueId: null,
      pid: pmId + 1,
      namespace: app.namespace,
      status: "online",
      restartCount: 0,
      unstableRestarts: 0,
      startedAt: null,
      lastStartAt: null,
      createdAt: null,
      script: app.script,
      cwd: app.cwd,
      interpreter: app.interpreter,
      execMode: app.execMode,
      instances: app.instances,
      watching: app.watch,
      nodeVersion: null,
      version: null,
      exitCode: null,
      cronRestart: null,
      cpuPercent: null,
      memoryBytes: null,
      customMetrics: {},
      customMetricUnits: {},
      versioning: null,
      httpPort: app.httpPort,
      port: app.port ?? null,
      declaration: {
        argsDigest: app.argsDigest,
        interpreterArgsDigest: app.interpreterArgsDigest,
        // svcm starts processes with PM2_HOME; every other key comes from the declaration.
        environment: { ...app.environments[0], PM2_HOME: "" },
        settings: app.settings,
      },
    }));
}
