/** The ports of this machine, and the user of this machine as a caller. */
import { readEffect } from "./rollout/read-effect.ts";
import { join, parse, resolve } from "node:path";
import { nodeAsyncContext } from "./metrics/async-context.node.ts";
import { auditLog } from "./access/audit-log.node.ts";
import { ecosystemLoader } from "./pm2/loader/index.ts";
import { nodeFacts, factsCache } from "./project/facts/facts.node.ts";
import { nodeFiles, nodeFileStamps } from "./files/index.ts";
import { gitRevisions } from "./files/git.ts";
import { nodeHealth } from "./rollout/health.node.ts";
import { nodeHistoryFiles } from "./history/history-files.node.ts";
import { nodeHost, systemClock, systemUser } from "./files/host.ts";
import { nodeInstallation } from "./setup/installation.node.ts";
import { nodeLogs } from "./logs/files/index.ts";
import { nodeLogCare } from "./logs/care/log-care.node.ts";
import { createAlerting } from "./alerts/alerting.ts";
import { nodeNotifier } from "./alerts/notifier.node.ts";
import { nodeUnits } from "./boot/units.node.ts";
import { pm2Daemons } from "./pm2/daemon/daemons.ts";
import { pm2SavedLists } from "./pm2/daemon/saved-files.ts";
import { nodeMachine } from "./metrics/machine/index.ts";
import { nodePrometheus } from "./history/prometheus.node.ts";
import { pm2Processes } from "./pm2/daemon/index.ts";
import { nodeSightings } from "./events/sightings.node.ts";
import { nodeRunningCode } from "./running/evidence/index.ts";
import { createBootOutlook } from "./boot/examine.ts";
import { nodeDeployed } from "./deploy/deployed.node.ts";
import { nodeReleases } from "./rollout/releases.node.ts";
import { pm2Schedules } from "./pm2/daemon/schedules.ts";
import { nodeProcessLogs } from "./logs/process-logs.node.ts";
import { findStateFolder } from "./pm2/state-place.node.ts";
import { resolveWorkspace, type WorkspaceOptions } from "./project/workspace.node.ts";
import { nodeSurveyor } from "./setup/survey.node.ts";
import { nodeTokens } from "./access/tokens.node.ts";
import { createRecorder } from "./history/recorder.ts";
import { createEventFeed } from "./events/feed.ts";
import { createTelemetry } from "./metrics/sampling/create-telemetry.ts";
import { once } from "./words/once.ts";
import { readSecrets } from "./pm2/ecosystem-file.ts";
import type { Deploys } from "./deploy/port-deploys.ts";
import type { Caller } from "./access/operation.ts";
import { rights } from "./api/rights.ts";
import type { Ports } from "./ports.ts";

/** Enough for a deployments document with twenty thousand deploy targets. */
export const MAX_FILE_BYTES = 4 * 2 ** 20;

/** Each port is created on first use, because a command uses few of them. */
export function nodePorts(options: WorkspaceOptions): Ports {
  const workspace = resolveWorkspace(options);
  const { root, configDir, stateFolder, auditFile, pm2Home } = workspace;
  const { env, cwd, isCommand, folders = [], logFolders = [] } = options;
  const pm2Places = { root, home: pm2Home, path: env["PATH"] };
  const secrets = async () => readSecrets(ports, await ports.facts.runtimeContract());
  const ports: Ports = createLazily<Ports>({
    workspace: () => workspace,
    facts: () => nodeFacts(workspace, ports.files, () => factsCache(env)),
    survey: () => nodeSurveyor,
    files: () => nodeFiles({ allowedFolders: [root, configDir, stateFolder, ...folders], maxBytes: MAX_FILE_BYTES }),
    revisions: () => gitRevisions({ root, env, maxBytes: MAX_FILE_BYTES }),
    ecosystems: () => ecosystemLoader({ root, env }),
    audit: () => auditLog({ file: auditFile, pm2Home, earlier: join(root, ".svcm", "audit.jsonl") }),
    clock: () => systemClock,
    host: () => nodeHost(stateFolder),
    processes: () => pm2Processes({ env, cwd, root, isCommand }),
    releases: () => nodeReleases(pm2Home, root),
    deploys: () => once(() => loadDeploys(options, ports)),
    deployed: () => nodeDeployed({ root, pm2Home }, ports),
    runningCode: () => nodeRunningCode({ root, env, pm2Home }),
    proposals: () => once(async () => (await import("./approvals/proposals.node.ts")).nodeProposals(stateFolder)),
    tokens: () => nodeTokens(stateFolder, ports.files),
    processLogs: () => nodeProcessLogs(pm2Home),
    schedules: () => pm2Schedules(pm2Places),
    logs: () => nodeLogs({ env, cwd, folders: logFolders, secrets }),
    logCare: () => nodeLogCare({ pm2Home, folders: logFolders, nowMs: () => systemClock.now() }),
    sightings: () => nodeSightings({ pm2Home, auditFile }),
    eventFeed: () => createEventFeed(ports),
    machine: () => nodeMachine({ diskPaths: [parse(root).root, root, pm2Home] }),
    asyncContext: () => nodeAsyncContext,
    health: () => nodeHealth,
    stamps: () => nodeFileStamps,
    installation: () => nodeInstallation({ env, places: pm2Places }),
    effects: () => ({ read: (file, keys) => readEffect(ports, file, keys) }),
    telemetry: () => createTelemetry(ports),
    historyFiles: () => nodeHistoryFiles(join(stateFolder, "history")),
    prometheus: () => nodePrometheus(env),
    recorder: () => createRecorder(ports),
    marks: () => once(async () => (await import("./alerts/marks.node.ts")).nodeMarks(stateFolder)),
    alertRecords: () => once(async () => (await import("./alerts/marks.node.ts")).nodeAlertRecords(stateFolder)),
    notifier: () => nodeNotifier({ env, cwd: root }),
    alerting: () => createAlerting(ports),
    daemons: () => pm2Daemons(pm2Places),
    savedLists: () => pm2SavedLists(pm2Home),
    units: () => nodeUnits({ env }),
    bootOutlook: () => createBootOutlook(ports),
  });
  return ports;
}

/** Few commands deploy, so the others do not load its code. */
async function loadDeploys(options: WorkspaceOptions, ports: Ports): Promise<Deploys> {
  const { env, folders = [], logFolders = [] } = options;
  const { root, pm2Home } = ports.workspace;
  const { nodeDeploys, releaseRoot, releaseWorld } = await import("./deploy/machine/index.ts");
  return nodeDeploys({ root, env }, (place) => {
    const own = { root: releaseRoot(place), env: { ...env, PM2_HOME: pm2Home }, cwd: root };
    // Links of a release lead to its shared files, and from there to the checkout.
    const outside = [root, place.checkout, place.layout.root, ...folders];
    return releaseWorld(ports, nodePorts({ ...own, folders: outside, logFolders }), place);
  });
}

/** If `svcm.yaml` is invalid, the first operation that reads it reports that. */
export async function openPorts(options: WorkspaceOptions): Promise<Ports> {
  const ports = nodePorts(options);
  const project = await ports.facts.project().catch(() => undefined);
  const { pm2Home, folders = [], logFolders = [] } = project ?? {};
  const { root } = ports.workspace;
  const { env } = options;
  const home = pm2Home?.replace(/^~(?=\/|$)/, env["HOME"] ?? "~");
  const declared = home === undefined || env["PM2_HOME"] ? {} : { PM2_HOME: resolve(root, home) };
  const declaredOptions = {
    ...options,
    env: { ...env, ...declared },
    hasDeclaredHome: "PM2_HOME" in declared,
    folders: folders.map((folder) => resolve(root, folder)),
    logFolders: logFolders.map((folder) => resolve(root, folder)),
  };
  const first = nodePorts(declaredOptions);
  const list = async () => {
    try {
      return await first.processes.list();
    } finally {
      await first.processes.close();
    }
  };
  const stateFolder = await findStateFolder({ root, pm2Home: first.workspace.pm2Home, project, list });
  return stateFolder === first.workspace.stateFolder ? first : nodePorts({ ...declaredOptions, stateFolder });
}

function createLazily<T extends object>(factories: { readonly [Name in keyof T]: () => T[Name] }): T {
  const created = {} as T;
  for (const name of Object.keys(factories) as (keyof T)[]) {
    const get = (): T[typeof name] => {
      const value = factories[name]();
      Object.defineProperty(created, name, { value, enumerable: true });
      return value;
    };
    Object.defineProperty(created, name, { get, configurable: true, enumerable: true });
  }
  return created;
}

/** At a terminal, file permissions limit the user; svcm adds no limits. */
export function commandLineCaller(): Caller {
  return {
    source: "cli",
    get actor() {
      return systemUser();
    },
    grants: rights,
  };
}

/** The server itself, which keeps the logs small. */
export function serverCaller(): Caller {
  return { ...commandLineCaller(), source: "serve" };
}
