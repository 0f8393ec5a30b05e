import { parseRecord, isRecord } from "../words/record.ts";
import { decodeUtf8 } from "../words/utf8.ts";
import {
  unitOfDaemon,
  type BootFacts,
  type DaemonFacts,
  declaredDifferences,
  NOT_COMPARED,
  type DeclaredDifferences,
} from "./facts.ts";
import { severalText } from "../pm2/daemon-traces.ts";
import { listOrEmpty } from "../pm2/list.ts";
import type { BootPorts } from "./ports.ts";
import type { RenewalFacts } from "./renewal.ts";
import type { Caller } from "../access/operation.ts";
import { SvcmError } from "../api/errors.ts";
import { visibleKeys } from "../env/runtime-keys.ts";
import { readEcosystem } from "../pm2/ecosystem-file.ts";
import type { SavedList } from "../pm2/port-daemons.ts";
import type { ProcessRecord } from "../pm2/process-record.ts";
import type { EnvironmentRequest } from "../project/resolve.ts";
import { computeDrift } from "../rollout/drift.ts";
import { expectedApps, readFileState } from "../rollout/expected.ts";
import { withMachineEnvironment } from "../rollout/machine-environment.ts";
import { withDeployed } from "../rollout/port-deployed.ts";
import { plainState } from "../running/state.ts";

export async function readDaemonFacts(
  ports: Pick<BootPorts, "daemons" | "files" | "processes" | "savedLists" | "workspace">,
  library: string | null,
): Promise<DaemonFacts> {
  const { daemons, workspace, savedLists, processes } = ports;
  return {
    home: workspace.pm2Home,
    daemons: await daemons.list(),
    nodeVersion: await daemons.nodeVersion(),
    library,
    renewal: daemons.renewal(),
    wantedNode: await readWantedNode(ports),
    saved: await savedLists.read((value) => processes.digest(value)),
  };
}

/** PM2's socket was removed, or leads to none of its daemons. */
export async function readUnreached({ processes }: Pick<BootPorts, "processes">): Promise<string | undefined> {
  return await processes.list().then(
    () => undefined,
    (error: unknown) => {
      if (!(error instanceof SvcmError)) throw error;
      return error.body.code === "PM2_SOCKET_GONE" ? error.message : undefined;
    },
  );
}

export async function readRenewalFacts(ports: BootPorts, node: string): Promise<RenewalFacts> {
  const { daemons, units, workspace, processes } = ports;
  const facts = await readDaemonFacts(ports, daemons.libraryVersion);
  const system = await units.read(workspace.pm2Home);
  const former = facts.daemons?.find(({ isOwn }) => isOwn);
  const name = facts.renewal?.unit?.name;
  return {
    ...facts,
    node,
    nodeVersion: await daemons.versionOf(node),
    former,
    unit: name === undefined ? unitOfDaemon(system.units, former) : system.units.find((unit) => unit.name === name),
    system,
    program: units.program(),
    // A renewal that was cut off may have stopped at any point.
    running: facts.renewal === null ? await listOrEmpty(processes) : [],
    own: processes.ownProcess(),
    standing: facts.renewal,
  };
}

/** `.nvmrc` is more exact than `engines`. */
async function readWantedNode(ports: Pick<BootPorts, "files" | "workspace">): Promise<DaemonFacts["wantedNode"]> {
  for (const file of [".nvmrc", ".node-version"]) {
    const range = (await readText(ports, file)).trim();
    // A name such as `lts/*` means another version every year.
    if (/^v?\d/.test(range)) return { range, file };
  }
  const engines = parseRecord(await readText(ports, "package.json"))?.["engines"];
  const range = isRecord(engines) ? engines["node"] : undefined;
  return typeof range === "string" ? { range, file: "package.json" } : null;
}

async function readText({ files, workspace }: Pick<BootPorts, "files" | "workspace">, name: string): Promise<string> {
  const bytes = await files.read(`${workspace.root}/${name}`).catch(() => new Uint8Array());
  return decodeUtf8(bytes) ?? "";
}

export async function readBootFacts(
  ports: BootPorts,
  request: EnvironmentRequest,
  caller: Pick<Caller, "limits">,
): Promise<BootFacts> {
  const facts = await readMachineFacts(ports);
  const { saved, running, daemon } = facts;
  return {
    ...facts,
    endingUnit: daemon && (await ports.daemons.unitThatEnds(daemon)),
    declared: await readDeclared(ports, request, caller, { saved, running: running ?? [] }),
  };
}

/** Without programs: neither the ecosystem file nor systemctl runs. */
export async function readMachineFacts(ports: BootPorts): Promise<Omit<BootFacts, "declared" | "endingUnit">> {
  const { workspace, processes, savedLists, units, daemons, processLogs, stamps } = ports;
  const { running, silence } = await readRunning(ports);
  const saved = await savedLists.read((value) => processes.digest(value));
  const daemon = (await daemons.list())?.find(({ isOwn }) => isOwn) ?? null;
  const scripts = saved.processes.flatMap(({ script }) => (script === null ? [] : [script]));
  return {
    home: workspace.pm2Home,
    system: await units.read(workspace.pm2Home),
    saved,
    running,
    silence,
    traces: await processLogs.readDaemonTraces(),
    daemon,
    missingScripts: stamps.missing(scripts),
  };
}

async function readRunning({
  processes,
}: Pick<BootPorts, "processes">): Promise<Pick<BootFacts, "running" | "silence">> {
  try {
    const running = await processes.list();
    const lost = processes.lostDaemons();
    return lost.length === 0 ? { running, silence: null } : { running: null, silence: severalText(lost) };
  } catch (error) {
    if (!(error instanceof SvcmError)) throw error;
    const isAbsent = error.body.code === "PM2_NOT_RUNNING";
    return { running: null, silence: isAbsent ? null : error.message };
  }
}

/** A file of which no app runs or is saved belongs to another machine. */
async function readDeclared(
  ports: BootPorts,
  request: EnvironmentRequest,
  caller: Pick<Caller, "limits">,
  { saved, running }: { readonly saved: SavedList; readonly running: readonly ProcessRecord[] },
): Promise<DeclaredDifferences> {
  try {
    const place = await withMachineEnvironment(ports, request, caller);
    const { loaded, contract, spellings, fileName } = await readEcosystem(await withDeployed(ports, place), place);
    if (loaded === undefined) return NOT_COMPARED;
    const { host, workspace, processes } = ports;
    const machine = { cpuCores: host.cpuCores(), pm2Home: workspace.pm2Home };
    const expected = expectedApps(loaded, { machine, spellings, digest: (value) => processes.digest(value) });
    const names = new Set(saved.processes.map(({ name }) => name));
    const known = new Set([...names, ...running.map(({ name }) => name)]);
    if (saved.state !== "read" || !expected.some(({ name }) => known.has(name))) return NOT_COMPARED;
    const drift = computeDrift({
      expected,
      running: saved.processes,
      visibleKeys: new Set(visibleKeys(contract)),
      stateOf: () => plainState("online"),
      ...readFileState(ports, expected, saved.processes),
    });
    return declaredDifferences(drift, names, { file: fileName, apps: expected.map(({ name }) => name) });
  } catch (error) {
    if (!(error instanceof SvcmError)) throw error;
    return { ...NOT_COMPARED, problem: error.message };
  }
}
