import type { HasFiles } from "../files/ports.ts";
import type { HasFacts, HasWorkspace } from "../project/port-repository.ts";
import { documentPath, DEPLOYMENTS_FILE, readDocumentIfExists } from "../deployments/file.ts";
import { effectiveValues } from "../env/env-file.ts";
import { SvcmError } from "../api/errors.ts";
import { toIssue } from "../findings/rule.ts";
import { declaredApps, type Machine } from "../pm2/declared.ts";
import type { LoadedEcosystem } from "../pm2/loaded.ts";
import { normaliseApp } from "../pm2/normalise.ts";
import { isRecord, ownMember } from "../words/record.ts";
import { decodeUtf8 } from "../words/utf8.ts";
import {
  rolloutFindings,
  mergeSettings,
  type RolloutSettings,
  type HealthSettings,
} from "../project/rollout-settings.ts";
import { parsePort } from "../words/numbers.ts";
import type { Probe } from "./port-deployed.ts";

/** A service in svcm.yaml overrides deployments.yaml. */
export type SettingsOf = (app: string) => RolloutSettings;

/** The save at the end has no app, so the defaults would count for it. */
export function releasesToKeep(steps: readonly { readonly app: string }[], settingsOf: SettingsOf): number {
  const named = steps.filter(({ app }) => app !== "");
  return Math.max(1, ...(named.length === 0 ? steps : named).map(({ app }) => settingsOf(app).keepReleases));
}

export type ServiceOf = (app: string) => string;

export function createServiceLookup(loaded: LoadedEcosystem | undefined): ServiceOf {
  const names = new Map(loaded?.apps.map(({ fields, start }) => [normaliseApp(fields).name, start?.service]));
  return (app) => names.get(app) ?? "";
}

/** @throws {SvcmError} FACT_INVALID, SUITE_FILE_FAILED */
export async function readSettings(
  ports: HasFacts & HasFiles & HasWorkspace,
  serviceOf: ServiceOf,
): Promise<SettingsOf> {
  const shared = await readDocumentSettings(ports);
  const services = (await ports.facts.project())?.services ?? {};
  return (app) => mergeSettings(shared, ownMember(services, serviceOf(app))?.rollout);
}

async function readDocumentSettings(ports: HasFiles & HasWorkspace): Promise<unknown> {
  const text = await readDocumentIfExists(ports, DEPLOYMENTS_FILE);
  if (text === undefined || !text.includes("rollout")) return undefined;
  const { readSource } = await import("../yaml/read.ts");
  const { value, issues } = readSource(text, DEPLOYMENTS_FILE);
  const rollout = isRecord(value) ? value["rollout"] : undefined;
  const found = [
    ...issues.filter(({ severity }) => severity === "error"),
    ...(rollout === undefined ? [] : rolloutFindings(rollout)).map(({ path, ...finding }) =>
      toIssue({ ...finding, path, code: "ROLLOUT_SETTING", severity: "error" }, ["rollout"]),
    ),
  ];
  if (found.length === 0) return rollout;
  const details = found.map(({ path, message }) => `${path.join(".")}: ${message}`).join("; ");
  const path = documentPath(ports, DEPLOYMENTS_FILE);
  throw new SvcmError("FACT_INVALID", { path, details, issues: found, hint: "Check the document: svcm validate" });
}

/** As in Node.js, a declared variable overrides an env file. */
export async function readProbes(
  ports: HasFiles,
  loaded: LoadedEcosystem,
  machine: Machine,
  settingsOf: SettingsOf,
): Promise<ReadonlyMap<string, AppProbe>> {
  const declared = declaredApps(loaded, machine);
  const probes = new Map<string, AppProbe>();
  for (const [index, { name, env }] of declared.entries()) {
    const { health } = settingsOf(name);
    const key = findPortKey(name, health);
    const isInFile = key !== undefined && ownMember(env, key) === undefined;
    const files = isInFile ? (loaded.apps[index]?.places.envFiles ?? []) : [];
    const texts = await Promise.all(files.map(({ path }) => readTextOrEmpty(ports, path)));
    const port = key === undefined ? undefined : effectiveValues(texts).get(key);
    const probe = resolveProbe(name, port === undefined ? env : { ...env, [String(key)]: port }, health);
    if (probe !== undefined) probes.set(name, probe);
  }
  return probes;
}

/** Another check reports a file that cannot be read. */
async function readTextOrEmpty({ files }: HasFiles, path: string): Promise<{ readonly text: string }> {
  const bytes = await files.read(path, { mayBeOutside: true }).catch(() => new Uint8Array());
  return { text: decodeUtf8(bytes) ?? "" };
}

export interface AppProbe extends Probe {
  readonly portKey: string | null;
}

type Protocol = Probe["kind"];

const SOCKET_IO = "/socket.io/?EIO=4&transport=websocket";

const DEFAULTS_BY_PROTOCOL: Readonly<Record<Protocol, { readonly port: string; readonly path: string }>> = {
  http: { port: "SVC_HTTP_PORT", path: "/health" },
  websocket: { port: "SVC_HTTP_PORT", path: SOCKET_IO },
  grpc: { port: "SVC_GRPC_PORT", path: "/" },
};

/** The startup contract names apps after their protocol. */
const SETTINGS_BY_SUFFIX: Readonly<Record<string, HealthSettings>> = {
  restapi: { protocol: "http" },
  websocketapi: { protocol: "websocket" },
  grpcapi: { protocol: "grpc" },
};

function findPortKey(app: string, health: Readonly<Record<string, HealthSettings>>): string | undefined {
  const { port } = resolveSettings(app, health) ?? {};
  return typeof port === "string" ? port : undefined;
}

export function resolveProbe(
  app: string,
  env: Readonly<Record<string, unknown>>,
  health: Readonly<Record<string, HealthSettings>> = {},
): AppProbe | undefined {
  const found = resolveSettings(app, health);
  if (found === undefined) return undefined;
  const { kind, path, port: declaredPort, service, isDeclared } = found;
  const port = typeof declaredPort === "number" ? declaredPort : parsePort(ownMember(env, declaredPort));
  if (port === null) return undefined;
  const portKey = typeof declaredPort === "string" ? declaredPort : null;
  return { kind, path, port, portKey, ...(service !== undefined && { service }), ...(isDeclared && { isDeclared }) };
}

interface ResolvedSettings extends Pick<Probe, "kind" | "path" | "service" | "isDeclared"> {
  readonly port: number | string;
}

function resolveSettings(app: string, health: Readonly<Record<string, HealthSettings>>): ResolvedSettings | undefined {
  const suffixes = [...Object.keys(SETTINGS_BY_SUFFIX), ...Object.keys(health)].filter((suffix) =>
    app.endsWith(suffix),
  );
  const suffix = suffixes.toSorted((a, b) => b.length - a.length)[0];
  if (suffix === undefined) return undefined;
  const { protocol = "http", ...declared } = { ...ownMember(SETTINGS_BY_SUFFIX, suffix), ...ownMember(health, suffix) };
  if (protocol === "none") return undefined;
  return { kind: protocol, ...DEFAULTS_BY_PROTOCOL[protocol], ...declared, isDeclared: Object.hasOwn(health, suffix) };
}
