import type { HasWorkspace } from "../../project/port-repository.ts";
import type { Pm2Daemon, ServiceAddress, HasInstallation, SetupPorts } from "../ports.ts";
import type { FoundPm2 } from "../../pm2/port-daemons.ts";
import type { Vocabulary } from "../../deployments/file.ts";
import { keySource, type KeySource } from "../../project/facts/own-contract.ts";
import type { Project } from "../../project/project.ts";
import type { ConfiguredFile } from "./examine.ts";
import type { HasStamps } from "../../files/ports.ts";
import type { Issue } from "../../api/issue.ts";
import { usageOf } from "../../logs/care/usage.ts";
import { isDown, listScrubbed } from "../../pm2/list.ts";
import { findLeftOvers, holderText, type PortHolder } from "../../running/port-holders.ts";
import { leftOverText, type Survivor } from "../../pm2/daemon-traces.ts";
import { readStateOf } from "../../running/read-states.ts";
import type { ProcessRecord } from "../../pm2/process-record.ts";
import { findingsOf, toIssue, type Rule } from "../../findings/rule.ts";
import { toFailureIssues, type AppEnvFiles } from "./file-checks.ts";
import { nameList, rootRelative } from "../../words/text.ts";

/** For a bug report. Contains no value of a key and no token. */
export interface DoctorFacts {
  readonly svcm: string;
  readonly node: string;
  readonly platform: string;
  readonly user: string;
  readonly root: string;
  readonly rootBy: string | null;
  readonly pm2Version: string | null;
  /** The code that svcm loads for what needs PM2's own. */
  readonly pm2: FoundPm2;
  readonly pm2Home: string;
  readonly pm2HomeBy: string | null;
  /** Null if no daemon is listening; absent with `offline`. */
  readonly daemon?: Pm2Daemon | null;
  readonly contract: { readonly source: KeySource; readonly keys: number; readonly guesses: number } | null;
  readonly defaultEnvironment: string | null;
  /** Null with a `svcm.yaml`, which names each file. */
  readonly folders: { readonly env: string; readonly ecosystem: string } | null;
  readonly files: readonly ConfiguredFile[];
  readonly service?: ServiceAddress;
  readonly hasToken: boolean;
  readonly auditFile: string;
}

interface FactSources {
  readonly pm2: FoundPm2;
  readonly version: string;
  readonly project: Project | undefined;
  readonly vocabulary: Vocabulary | undefined;
  readonly places: readonly ConfiguredFile[];
  readonly runtime: { readonly daemon: Pm2Daemon | null; readonly service: ServiceAddress } | undefined;
}

export function collectFacts(
  { workspace, installation }: HasInstallation & HasWorkspace,
  sources: FactSources,
): DoctorFacts {
  const { project, vocabulary, places, runtime, version, pm2 } = sources;
  const { root, rootSource: rootBy = null, pm2Home, pm2HomeSource: pm2HomeBy = null, auditFile } = workspace;
  const { node, platform, user, pm2Version, hasToken } = installation;
  const contract = vocabulary && {
    source: keySource(vocabulary.contract, project),
    keys: Object.keys(vocabulary.contract.keys).length,
    guesses: Object.keys(project?.guesses ?? {}).length,
  };
  return {
    svcm: version,
    node,
    platform,
    user,
    root,
    rootBy,
    pm2Version,
    pm2,
    pm2Home,
    pm2HomeBy,
    contract: contract ?? null,
    defaultEnvironment: project?.hasDefault === false ? null : (vocabulary?.contract.defaultEnvironment ?? null),
    folders: project ? null : { env: workspace.configDir, ecosystem: workspace.pm2Dir },
    files: places,
    hasToken,
    auditFile,
    ...runtime,
  };
}

export async function checkRunning(
  ports: SetupPorts,
  apps: readonly AppEnvFiles[],
  { daemon, service }: { readonly daemon: Pm2Daemon | null; readonly service: ServiceAddress },
): Promise<Issue[]> {
  const { root } = ports.workspace;
  const { all, issues } = await listScrubbed(ports).then(
    async (list) => ({ all: list, issues: await problemIssues(ports, list) }),
    (error: unknown) => ({ all: isDown(error) ? [] : undefined, issues: toFailureIssues("running", error, root) }),
  );
  const { machine, workspace, installation } = ports;
  const listeners = await machine.listeners().catch(() => undefined);
  const leftOvers =
    all === undefined ? [] : findLeftOvers({ all, listeners: listeners ?? [], pm2Home: workspace.pm2Home });
  const running = {
    home: workspace.pm2Home,
    // A list that fails has its reason, and that of a folder of another user would be the same.
    homeRefusal: all === undefined ? null : installation.homeRefusal(),
    daemon,
    service,
    leftOvers,
    survivors: await ports.processes.survivors(),
    listed: new Set((all ?? []).map(({ name }) => name)),
    newer: (all ?? []).flatMap((record) => newerFiles(ports, record, apps)),
  };
  const found = Array.from(findingsOf(runningRules, running), (finding) => toIssue(finding, ["running"]));
  return [...issues, ...found, ...(await logIssues(ports))];
}

async function logIssues({ logCare, facts, workspace }: SetupPorts): Promise<Issue[]> {
  try {
    const survey = await logCare.look({ keepsSizes: false });
    const project = await facts.project().catch(() => undefined);
    const { issues } = usageOf(survey, project?.logs);
    return issues.map((issue) => ({ ...issue, path: ["running", ...issue.path] }));
  } catch (error) {
    return toFailureIssues("running", error, workspace.root);
  }
}

async function problemIssues(ports: SetupPorts, records: readonly ProcessRecord[]): Promise<Issue[]> {
  const stateOf = await readStateOf(ports, records);
  return records.flatMap((record): Issue[] => {
    const { problem } = stateOf(record);
    if (problem === null) return [];
    const { name, pmId } = record;
    const message = `${name} (id ${pmId}): ${problem.details}`;
    return [{ code: problem.code, severity: "error", path: ["running", name, pmId], message }];
  });
}

/** A file counts only if it is newer for each environment that declares the app. */
function newerFiles(
  { stamps, workspace }: HasStamps & HasWorkspace,
  record: ProcessRecord,
  apps: readonly AppEnvFiles[],
): NewerFiles[] {
  const { name, pmId, startedAt } = record;
  const declared = apps.filter((app) => app.name === name).map(({ envFiles }) => envFiles);
  if (startedAt === null || declared.length === 0) return [];
  const newer = declared.map((paths) => {
    const states = stamps.read(paths);
    return paths.filter((_, index) => (states[index]?.modifiedMs ?? 0) > startedAt);
  });
  if (newer.some((paths) => paths.length === 0)) return [];
  return [{ name, pmId, files: [...new Set(newer.flat())].map((path) => rootRelative(workspace.root, path)) }];
}

export interface NewerFiles {
  readonly name: string;
  readonly pmId: number;
  readonly files: readonly string[];
}

export interface RunningFacts {
  readonly home: string;
  readonly homeRefusal: string | null;
  readonly daemon: Pm2Daemon | null;
  readonly service: ServiceAddress;
  readonly leftOvers: readonly PortHolder[];
  readonly survivors: readonly Survivor[];
  /** Names of apps. */
  readonly listed: ReadonlySet<string>;
  readonly newer: readonly NewerFiles[];
}

const TESTED_MAJORS = ["5", "6", "7"];

const untestedVersion: Rule<RunningFacts> = {
  code: "PM2_VERSION_UNTESTED",
  severity: "warning",
  *check({ daemon }) {
    const version = daemon?.version ?? null;
    if (version === null || TESTED_MAJORS.includes(version.split(".")[0] ?? "")) return;
    yield {
      path: ["version"],
      message: `the PM2 daemon has the version ${version}; tested: ${TESTED_MAJORS.join(", ")}`,
    };
  },
};

const unusableHome: Rule<RunningFacts> = {
  code: "PM2_HOME_UNUSABLE",
  severity: "error",
  *check({ home, homeRefusal: code }) {
    if (code === null) return;
    const message = `this user cannot write to ${home} (${code}), so svcm starts, stops and changes no app here`;
    yield { path: ["home"], message };
  },
};

const newerEnvFiles: Rule<RunningFacts> = {
  code: "PROCESS_ENV_FILE_NEWER",
  severity: "warning",
  check: ({ newer }) =>
    newer.map(({ name, pmId, files }) => {
      const verb = files.length === 1 ? "was" : "were";
      return {
        path: [name, pmId],
        message: `${name} (id ${pmId}): ${nameList(files)} ${verb} changed after it started`,
      };
    }),
};

const leftOverProcesses: Rule<RunningFacts> = {
  code: "PROCESS_LEFT_OVER",
  severity: "warning",
  check: ({ leftOvers, survivors, listed }) => [
    ...leftOvers.map((one) => ({
      path: [one.formerApp ?? one.program, one.pid],
      message: `port ${one.port} is taken by ${holderText({ ...one, app: null })}`,
    })),
    ...survivors
      .filter(({ pid }) => leftOvers.every((one) => one.pid !== pid))
      .map((one) => ({
        path: [one.name, one.pid],
        message: leftOverText([one], listed.has(one.name) ? "listed" : "absent"),
      })),
  ],
};

const takenAddress: Rule<RunningFacts> = {
  code: "PROJECT_ADDRESS_TAKEN",
  severity: "warning",
  *check({ service: { address, answer } }) {
    if (answer === "other") yield { path: ["service"], message: `another program answers at ${address}` };
  },
};

const invalidAddress: Rule<RunningFacts> = {
  code: "PROJECT_ADDRESS_INVALID",
  severity: "error",
  *check({ service: { address } }) {
    if (address !== null) return;
    yield {
      path: ["service"],
      message: "SVC_SERVICE_MANAGEMENT_HOST and SVC_SERVICE_MANAGEMENT_PORT are not a valid address",
    };
  },
};

export const runningRules: readonly Rule<RunningFacts>[] = [
  unusableHome,
  untestedVersion,
  newerEnvFiles,
  leftOverProcesses,
  takenAddress,
  invalidAddress,
];
