import type { ApplyPorts, RolloutPorts } from "../ports.ts";
import type { EnvironmentRequest } from "../../project/resolve.ts";
import type { RuntimeContract } from "../../api/facts.ts";
import { SvcmError } from "../../api/errors.ts";
import { defineOperation } from "../../access/operation.ts";
import { parseEnvDocument, valuesOf } from "../../env/document.ts";
import { readEnvFile } from "../../env/env-file.ts";
import { defaultOf, maskValue, specOf, visibleKeys } from "../../env/runtime-keys.ts";
import { envServices } from "../../project/env-layers.ts";
import { requireVisible } from "../../env/operations/env-read.ts";
import { declaredApps } from "../../pm2/declared.ts";
import { readEcosystem, readSecrets } from "../../pm2/ecosystem-file.ts";
import { createEcosystemScrub } from "../../pm2/view.ts";
import { listOrEmpty } from "../../pm2/list.ts";
import { didYouMean } from "../../words/suggest.ts";
import { withMachineEnvironment } from "../machine-environment.ts";
import { computePlan } from "../planning.ts";
import { withDeployed } from "../port-deployed.ts";
import type { Plan } from "../../api/rollout.ts";
import { ownMember } from "../../words/record.ts";
import { requireEnvironment, resolvePath } from "../../project/resolve.ts";
import {
  type NamedByStart,
  readEnvValues,
  readStartCommand,
  type StartCommand,
  startCommand,
} from "../../running/env-files.ts";
import { commandValues, maySet, type CommandValues } from "../../running/start-values.ts";
import { rootRelative } from "../../words/text.ts";

export interface EnvAppResponse {
  readonly environment: string;
  readonly app: string;
  readonly values: readonly AppValue[];
  /** Why it is unknown with which values the app runs. */
  readonly unknown?: string;
  /** Why a declared env file gives it nothing: a sentence. */
  readonly missing: readonly string[];
}

/** The value of each visible key that a start of the app would give it, and the file that it comes from. */
export const envApp = defineOperation({
  id: "env.app",
  access: "read",
  async run(own: ApplyPorts, { app, keys, ...place }, caller): Promise<EnvAppResponse> {
    const request = await withMachineEnvironment(own, place, caller);
    requireEnvironment(await own.facts.project(), request.environment, own.workspace.nodeEnv);
    const ports = await withDeployed(own, request);
    const { contract, environment, fileName, loaded } = await readEcosystem(ports, request);
    if (keys !== undefined) requireVisible(contract, keys);
    const apps = loaded === undefined ? [] : declaredApps(loaded, { cpuCores: ports.host.cpuCores() });
    const found = apps.find(({ name }) => name === app);
    if (found === undefined)
      throw unknownApp(
        app,
        fileName,
        apps.map(({ name }) => name),
      );
    const { start, places } = loaded?.apps[apps.indexOf(found)] ?? {};
    const service = start?.service ?? "";
    const startedBy = startCommand(found);
    const named = await readStartCommand(ports, startedBy);
    const cwd = named.folder ?? found.cwd;
    const services = envServices(await ports.facts.project(), ports.workspace.root, { service, cwd });
    const { layers: ofServices, missing } = await readAllLayers(ports, contract, { ...request, environment }, services);
    const { layers, commands } = await readStart(ports, startedBy, {
      named,
      layers: ofServices,
      ofNode: places?.envFiles,
      fileName,
    });
    const { plan, unknown } = await planFor(ports, { ...request, environment, apps: [app] }, named);
    const processes = await listOrEmpty(ports.processes);
    const alive = processes.filter(({ name, pid }) => name === app && pid !== null);
    const values = decideAppValues({
      keys: keys ?? visibleKeys(contract),
      ecosystem: { fileName, env: found.env },
      layers,
      commands,
      defaultOf: (key) => defaultOf(contract, key),
      runningOf: runningFrom(plan, app, alive.length),
    });
    const scrub = createEcosystemScrub(loaded, { contract, secrets: await readSecrets(ports, contract) });
    const masked = values.map((one) => ({ ...one, value: scrub(maskValue(specOf(contract, one.key), one.value)) }));
    return { environment, app, values: masked, missing, ...(unknown !== undefined && { unknown }) };
  },
});

function unknownApp(app: string, fileName: string, names: readonly string[]): SvcmError {
  return new SvcmError("INVALID_REQUEST", {
    details: `${fileName} does not declare the app ${JSON.stringify(app.slice(0, 80))}. Accepted: ${names.join(", ") || "no app"}.`,
    hint: didYouMean(app, names),
  });
}

async function readAllLayers(
  ports: RolloutPorts,
  contract: RuntimeContract,
  request: EnvironmentRequest,
  services: readonly string[],
): Promise<{ readonly layers: NamedLayer[]; readonly missing: string[] }> {
  const read = await Promise.all(
    services.map((name) => readLayers(ports, contract, { ...request, ...(name !== "" && { service: name }) })),
  );
  const layers = read
    .flatMap((one) => one.layers)
    .map((layer) => {
      // In its own folder, a file of each may have the same name.
      const name = rootRelative(ports.workspace.root, layer.path);
      return services.length > 1 ? { ...layer, fileName: name } : layer;
    });
  return { layers, missing: read.flatMap((one) => one.missing ?? []) };
}

/** An app may get all of its variables from the ecosystem file. */
async function readLayers(
  ports: RolloutPorts,
  contract: RuntimeContract,
  request: EnvironmentRequest,
): Promise<{ readonly layers: NamedLayer[]; readonly missing?: string }> {
  try {
    const { layers } = await readEnvFile(ports, contract, request);
    return {
      layers: layers.map(({ fileName, path, text }) => ({ fileName, path, values: valuesOf(parseEnvDocument(text)) })),
    };
  } catch (error) {
    const { code, details } = error instanceof SvcmError ? error.body : {};
    if (code === "ENV_FILE_NOT_DECLARED") return { layers: [] };
    // An app that loads it goes on without it.
    if (code === "ENV_FILE_NOT_FOUND") return { layers: [], ...(details !== undefined && { missing: details }) };
    throw error;
  }
}

interface StartFacts {
  readonly named: NamedByStart;
  readonly layers: readonly NamedLayer[];
  /** By `--env-file`. */
  readonly ofNode: readonly { readonly path: string }[] | undefined;
  readonly fileName: string;
}

/** The env files that its own command names win over those of `svcm.yaml`, which the app reads later. */
async function readStart(
  ports: RolloutPorts,
  start: StartCommand,
  { named: { envFiles, texts, scripts }, layers, ofNode = [], fileName }: StartFacts,
): Promise<Pick<ValueFacts, "layers" | "commands">> {
  const paths = [...new Set([...envFiles, ...ofNode.map(({ path }) => path)])];
  const values = await readEnvValues(ports, paths);
  const { root } = ports.workspace;
  const toLayer = (path: string): ValueFacts["layers"][number] => ({
    fileName: layers.find((layer) => layer.path === path)?.fileName ?? rootRelative(root, path),
    values: new Map(Object.entries(values.get(path) ?? {})),
  });
  const others = layers.filter(({ path }) => !paths.includes(path));
  const ofScripts = scripts.map(({ folder, name, manifest }) => ({
    ...commandValues(`npm run ${name}`, texts, manifest),
    fileName: rootRelative(root, resolvePath(folder, "package.json")),
  }));
  const commands = scripts.length > 0 ? ofScripts : [{ ...commandValues(start.line, texts, ""), fileName }];
  return { layers: [...others, ...paths.map(toLayer)], commands };
}

async function planFor(
  ports: RolloutPorts,
  request: Parameters<typeof computePlan>[1],
  { folder }: Pick<NamedByStart, "folder">,
): Promise<{ readonly plan: Plan | undefined; readonly unknown?: string }> {
  if (folder === null) return { plan: undefined, unknown: ELSEWHERE };
  try {
    return { plan: (await computePlan(ports, request)).plan };
  } catch (error) {
    if (!(error instanceof SvcmError)) throw error;
    return { plan: undefined, unknown: error.message };
  }
}

const ELSEWHERE =
  "its command runs a script of another package, or of several, and svcm does not know which env files they read";

interface Layer {
  readonly fileName: string;
  readonly values: ReadonlyMap<string, string>;
}

interface NamedLayer extends Layer {
  readonly path: string;
}

/** In the order in which they win. `default`: svcm assumes it; the app may have another one. */
export type ValueSource = "command" | "ecosystem" | "env file" | "default" | "nowhere";

/** `former`: a process was started with another value. `partly`: those that run have the value, and others do not run. */
export type RunningValue = "same" | "former" | "partly" | "unknown" | "not running";

interface AppValue {
  readonly key: string;
  readonly value: string;
  readonly source: ValueSource;
  /** The file that sets it. */
  readonly file: string | null;
  /** Files that set it, too, and lose. */
  readonly overridden: readonly string[];
  readonly running: RunningValue;
}

export interface ValueFacts {
  readonly keys: readonly string[];
  readonly ecosystem: { readonly fileName: string; readonly env: Readonly<Record<string, string>> };
  /** Later ones win. */
  readonly layers: readonly Layer[];
  /** Of its start, with the files that have them. Later ones win. */
  readonly commands: readonly (CommandValues & { readonly fileName: string })[];
  readonly defaultOf: (key: string) => string;
  readonly runningOf: (key: string, source: ValueSource) => RunningValue;
}

/** A variable that a command sets hides that of PM2. One that PM2 hands over hides the one of a file from Node.js, and from dotenv unless the app overrides it. */
export function decideAppValues({
  keys,
  ecosystem,
  layers,
  commands,
  defaultOf: ofContract,
  runningOf,
}: ValueFacts): AppValue[] {
  return keys.map((key) => {
    const inFiles = layers.flatMap(({ fileName, values }) => {
      const value = values.get(key);
      return value === undefined ? [] : [{ file: fileName, value, source: "env file" as const }];
    });
    const declared = ownMember(ecosystem.env, key);
    const ofCommands = commands.flatMap(({ fileName, values }) => {
      const value = values.get(key);
      return value === undefined ? [] : [{ file: fileName, value, source: "command" as const }];
    });
    const found = [
      ...inFiles,
      ...(declared === undefined ? [] : [{ file: ecosystem.fileName, value: declared, source: "ecosystem" as const }]),
      ...ofCommands,
    ];
    const winner = found.at(-1);
    const assumed = ofContract(key);
    const source = winner?.source ?? (assumed === "" ? "nowhere" : "default");
    return {
      key,
      value: winner?.value ?? assumed,
      source,
      file: winner?.file ?? null,
      overridden: found.slice(0, -1).map(({ file }) => file),
      // No record has what a command did at the start.
      running:
        ofCommands.length > 0 || commands.some((one) => maySet(one, key))
          ? notKnown(runningOf(key, source))
          : runningOf(key, source),
    };
  });
}

function notKnown(running: RunningValue): RunningValue {
  return running === "not running" ? running : "unknown";
}

/**
 * Reads the values from a plan for the app alone. Of a default, nothing is known: it is in the app's code.
 * @param alive the number of its processes that run: one that does not says nothing about the others
 */
export function runningFrom(plan: Plan | undefined, app: string, alive: number): ValueFacts["runningOf"] {
  const reasons = plan?.steps.filter((step) => step.app === app).flatMap(({ why }) => why) ?? [];
  const isAbsent = reasons.some(({ field, state }) => field === "app" && (state === "missing" || state === "stopped"));
  const isStopped = plan?.held.some(({ name, state }) => name === app && state === "stopped") ?? false;
  const isFailing = reasons.some(({ field, state }) => field === "app" && state === "failing");
  const hasDoubt = plan?.unknown.some((one) => one.app === app && one.part === "values") ?? true;
  const isPartlyDown = isAbsent || isStopped || isFailing;
  return (key, source) => {
    if (alive === 0 && (isAbsent || isStopped)) return "not running";
    const ofValues = reasons.filter(({ field }) => /^(?:env|envFile|values)$/.test(field));
    if (ofValues.some((reason) => reason.key === key)) return "former";
    // A file that was written after the start, without a record of what it held before.
    const isWritten = source === "env file" && ofValues.some((reason) => (reason.key ?? null) === null);
    const isUnseen = source === "default" || source === "nowhere";
    return hasDoubt || isWritten || isUnseen ? "unknown" : isPartlyDown ? "partly" : "same";
  };
}
