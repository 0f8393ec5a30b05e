import type { MetricsPorts } from "../telemetry.ts";
import { PROJECT_FILE } from "../../project/project.ts";
import { type EnvironmentRequest, requireEnvironment } from "../../project/resolve.ts";
import { SvcmError } from "../../api/errors.ts";
import { type ExpectedApp, expectedApps, sourceFiles, readFileState } from "../../rollout/expected.ts";
import { visibleKeys } from "../../env/runtime-keys.ts";
import { baseName } from "../../words/text.ts";
import type { FileStamp, HasStamps } from "../../files/ports.ts";
import type { ProcessRecord } from "../../pm2/process-record.ts";
import { type EcosystemContent, readEcosystem, repeatEcosystem } from "../../pm2/ecosystem-file.ts";
import type { ErrorCode } from "../../api/issue.ts";
import type { MetricsPayload } from "../../api/metrics.ts";
import { computeDrift } from "../../rollout/drift.ts";
import type { AppliedState } from "../../rollout/release.ts";
import { readAppliedState } from "../../rollout/ports.ts";
import type { Digest } from "../../running/env-files.ts";
import type { StateOf } from "../../running/state.ts";
import { withDeployed } from "../../rollout/port-deployed.ts";
import type { ComparisonInput } from "../../rollout/compare.ts";
import { LIST_BUDGET_MS, PLAN_BUDGET_MS, readVerdicts, type Looked } from "../../rollout/read-verdicts.ts";

/** A broken file may depend on any other file, and svcm cannot track the imports of ES modules. */
const RETRY_MS = { failed: 10_000, unknown: 30_000 };
/** File system clocks have this resolution, so a file that was written while it ran is run once more. */
const TIMESTAMP_RESOLUTION_MS = 20;

interface LoadedState {
  readonly state: EcosystemState;
  readonly paths: readonly string[];
  readonly stamps: readonly (FileStamp | null)[];
  readonly outdatedAtMs: number;
}

interface Comparison {
  readonly state: EcosystemState;
  readonly records: readonly ProcessRecord[];
  readonly stamps: readonly (string | undefined)[];
  readonly metrics: EcosystemMetrics;
  readonly looked: LookedParts;
}

type LookedParts = Partial<Pick<Looked, "verdicts" | "values">>;

interface LastLook {
  readonly state: EcosystemState;
  readonly pids: string;
  readonly looked: LookedParts;
  readonly outdatedAtMs: number;
}

interface CompareOptions {
  readonly isCurrent: boolean;
  readonly stateOf: StateOf;
}

const NOTHING_LOOKED: LookedParts = {};
const MIN_LOOK_INTERVAL_MS = 10_000;
/** Looking takes at most one percent of the time. */
const LOOK_INTERVALS_PER_COST = 100;

export interface ComparedEnvironment extends EnvironmentRequest {
  /** By the request, `NODE_ENV` or the machine. If it is only the first of several, nothing is compared. */
  readonly isNamed?: boolean | undefined;
}

/** The file is run at first use, and again only if it or a module that it requires has changed. */
export class EcosystemWatch {
  readonly #ports: MetricsPorts;
  readonly #request: ComparedEnvironment;
  readonly #digest: Digest;
  #loaded: LoadedState | undefined;
  #comparison: Comparison | undefined;
  #look: LastLook | undefined;
  #loading: Promise<LoadedState> | undefined;

  /** @param digest the one of the records that are compared, if it is not this process's own */
  constructor(ports: MetricsPorts, request: ComparedEnvironment, digest?: Digest) {
    this.#ports = ports;
    this.#digest = digest ?? ((value) => ports.processes.digest(value));
    this.#request = request;
  }

  /** Returns the previous declarations while a changed file is being run, unless `isCurrent`. */
  async read({ isCurrent }: { readonly isCurrent: boolean }): Promise<EcosystemState> {
    if (this.#loaded !== undefined && !this.#isOutdated(this.#loaded)) return this.#loaded.state;
    this.#loading ??= this.#load().finally(() => (this.#loading = undefined));
    if (this.#loaded === undefined || isCurrent) return (await this.#loading).state;
    // The next caller that waits gets an error that is not of the file.
    this.#loading.catch(() => undefined);
    return this.#loaded.state;
  }

  async compare(records: readonly ProcessRecord[], options: CompareOptions): Promise<EcosystemMetrics> {
    const state = await this.read(options);
    const metrics = await this.#compareNow(state, records, options);
    if (!metrics.planSteps || state.repeat === undefined) return metrics;
    const repeated = await state.repeat();
    if (this.#loaded?.state === state) this.#loaded = { ...this.#loaded, state: repeated };
    return await this.#compareNow(repeated, records, options);
  }

  async #compareNow(
    state: EcosystemState,
    records: readonly ProcessRecord[],
    options: CompareOptions,
  ): Promise<EcosystemMetrics> {
    const stamps = this.#ports.stamps.read(sourceFiles(state.expected)).map((stamp) => stamp?.id);
    const looked = await this.#lookAt(state, records, options);
    const last = this.#comparison;
    const isSame = last?.state === state && last.records === records && last.looked === looked;
    if (isSame && stamps.every((stamp, index) => stamp === last.stamps[index])) return last.metrics;
    const metrics = ecosystemView(this.#ports, state, records, { stateOf: options.stateOf, ...looked });
    this.#comparison = { state, records, stamps, metrics, looked };
    return metrics;
  }

  /** At once if a process is new, so that its start is recorded; else rarely, because the walk costs time. */
  async #lookAt(
    state: EcosystemState,
    records: readonly ProcessRecord[],
    { isCurrent }: CompareOptions,
  ): Promise<LookedParts> {
    const { content } = state;
    if (content === undefined) return NOTHING_LOOKED;
    const { clock, processes } = this.#ports;
    const pids = records.map(({ pmId, pid }) => `${pmId} ${pid}`).join();
    const last = this.#look;
    const startedMs = clock.elapsed();
    if (!isCurrent && last?.state === state && last.pids === pids && startedMs < last.outdatedAtMs) return last.looked;
    const { digest } = await processes.withHomeKey();
    const { verdicts, values } = await readVerdicts(state.ports ?? this.#ports, {
      content,
      expected: state.expected,
      running: records,
      appliedApps: state.left ?? {},
      digest,
      budgetMs: isCurrent ? PLAN_BUDGET_MS : LIST_BUDGET_MS,
    });
    const looked = { verdicts, values };
    const endedMs = clock.elapsed();
    const outdatedAtMs = endedMs + Math.max(MIN_LOOK_INTERVAL_MS, (endedMs - startedMs) * LOOK_INTERVALS_PER_COST);
    this.#look = { state, pids, looked, outdatedAtMs };
    return looked;
  }

  #isOutdated({ paths, stamps, outdatedAtMs }: LoadedState): boolean {
    const { clock, stamps: fileStamps } = this.#ports;
    return (
      clock.elapsed() >= outdatedAtMs || fileStamps.read(paths).some((stamp, index) => stamp?.id !== stamps[index]?.id)
    );
  }

  async #load(): Promise<LoadedState> {
    const { clock, stamps: fileStamps, workspace } = this.#ports;
    const startedMs = clock.now();
    const { state, files, retryMs } = await this.#run();
    const moved = await this.#ports.deployed.link(this.#request).catch(() => undefined);
    const paths = [workspace.pm2Dir, state.path, ...(moved === undefined ? [] : [moved]), ...files];
    const stamps = fileStamps.read(paths);
    const endedMs = clock.now();
    const isUnsettled = stamps.some(
      (stamp) =>
        stamp !== null && stamp.modifiedMs >= startedMs - TIMESTAMP_RESOLUTION_MS && stamp.modifiedMs <= endedMs,
    );
    const outdatedAtMs = clock.elapsed() + (isUnsettled ? TIMESTAMP_RESOLUTION_MS : retryMs);
    this.#loaded = { state, paths, stamps, outdatedAtMs };
    return this.#loaded;
  }

  async #run(): Promise<RunResult> {
    let ports = this.#ports;
    try {
      ports = await withDeployed(ports, this.#request);
      await this.#requireNamed();
      const visible = new Set(visibleKeys(await ports.facts.runtimeContract()));
      const content = await readEcosystem(ports, this.#request);
      const { apps: left } = await readAppliedState(ports);
      const context = { visibleKeys: visible, left, digest: this.#digest };
      const repeat = async (): Promise<EcosystemState> =>
        successfulRun(ports, await repeatEcosystem(ports, this.#request, content), context).state;
      return successfulRun(ports, content, { ...context, repeat });
    } catch (error) {
      if (!(error instanceof SvcmError)) throw error;
      const { path = "", code = error.kind, details = error.message } = error.body;
      const failure = { error: details, code };
      const state = {
        fileName: baseName(path),
        path,
        exists: true,
        expected: [],
        visibleKeys: new Set<string>(),
        failure,
      };
      return { state, files: [], retryMs: RETRY_MS.failed };
    }
  }

  /** A comparison with another environment than that of the machine would be a false alarm. */
  async #requireNamed(): Promise<void> {
    const { facts, workspace } = this.#ports;
    const { environment, isNamed = true } = this.#request;
    try {
      requireEnvironment(await facts.project(), isNamed ? environment : undefined, workspace.nodeEnv);
    } catch (error) {
      if (!(error instanceof SvcmError)) throw error;
      throw new SvcmError("ECOSYSTEM_FILE_FAILED", { ...error.body, path: `${workspace.root}/${PROJECT_FILE}` });
    }
  }
}

interface RunResult {
  readonly state: EcosystemState;
  readonly files: readonly string[];
  readonly retryMs: number;
}

function successfulRun(
  ports: MetricsPorts,
  content: EcosystemContent,
  { digest, ...context }: Pick<EcosystemState, "visibleKeys" | "left" | "repeat"> & { readonly digest: Digest },
): RunResult {
  const { fileName, path, loaded, spellings } = content;
  const base = { fileName, path, ports, ...context };
  if (loaded === undefined) {
    return { state: { ...base, exists: false, expected: [] }, files: [], retryMs: Number.POSITIVE_INFINITY };
  }
  const machine = { cpuCores: ports.host.cpuCores(), pm2Home: ports.workspace.pm2Home };
  const expected = expectedApps(loaded, { machine, spellings, digest });
  const hasUnknownFiles = loaded.isDefaultExport || loaded.files.some((file) => file.endsWith(".mjs"));
  const retryMs = hasUnknownFiles ? RETRY_MS.unknown : Number.POSITIVE_INFINITY;
  return { state: { ...base, exists: true, expected, content }, files: loaded.files, retryMs };
}

interface EcosystemState {
  readonly fileName: string;
  readonly path: string;
  readonly exists: boolean;
  readonly expected: readonly ExpectedApp[];
  /** Absent if the file does not exist or fails. */
  readonly content?: EcosystemContent;
  readonly ports?: MetricsPorts;
  readonly visibleKeys: ReadonlySet<string>;
  readonly left?: AppliedState["apps"];
  /** Returns which values differ in each run of the file; absent if that is known. */
  readonly repeat?: () => Promise<EcosystemState>;
  readonly failure?: { readonly error: string; readonly code: ErrorCode };
}

type EcosystemMetrics = MetricsPayload["ecosystem"];

/** Without a file, the processes belong to another environment. */
function ecosystemView(
  ports: HasStamps,
  state: EcosystemState,
  records: readonly ProcessRecord[],
  evidence: Pick<ComparisonInput, "stateOf" | "verdicts" | "values">,
): EcosystemMetrics {
  const { fileName, path, exists, failure, expected } = state;
  const nothing = { missingExpected: [], unexpected: [], drift: [], unknown: [] };
  if (failure !== undefined)
    return { fileName, path, exists, expectedProcessCount: null, ...nothing, planSteps: null, ...failure };
  if (!exists) return { fileName, path, exists, expectedProcessCount: 0, ...nothing, planSteps: 0 };
  const facts = {
    expected,
    running: records,
    visibleKeys: state.visibleKeys,
    appliedApps: state.left,
    ...evidence,
  };
  return { fileName, path, exists, ...computeDrift({ ...facts, ...readFileState(ports, expected, records) }) };
}
