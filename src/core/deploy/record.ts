import type { Deploy } from "../api/deploy.ts";
import type { AuditSource } from "../api/names.ts";
import type { Layout, ReleasePlace } from "./layout.ts";
import { toDeploySettings, type DeploySettings } from "../project/deploy-settings.ts";
import type { Project } from "../project/project.ts";
import { shellQuote } from "../words/text.ts";
import { chooseService, chooseServices, resolvePath, type NamedService } from "../project/resolve.ts";

/** A program of a deploy, which its journal names so that a later deploy can end what a killed one left. */
export interface StartedCommand {
  readonly pid: number;
  /** In clock ticks since boot; null if the system does not report it. A pid alone may be reused. */
  readonly startTime: string | null;
  /** In the environment of every process that it starts. */
  readonly mark?: string;
}

export interface DeployHead {
  readonly event: "begin";
  readonly id: string;
  readonly commit: string;
  readonly subject: string;
  /** The branch, tag or commit of the request; of an archive, its name. */
  readonly revision: string;
  /** Without credentials. */
  readonly source: string;
  readonly environment: string;
  readonly by: { readonly source: AuditSource; readonly actor?: string };
  readonly at: string;
  /** The names of the environment. */
  readonly spellings: readonly string[];
  /** The top of the checkout. */
  readonly checkout: string;
  /** Of the repository root below the top: `""`, or `packages/api/`. */
  readonly prefix: string;
  /** Of an archive. */
  readonly digest?: string;
}

export interface PreparedEvent {
  readonly event: "prepared";
  readonly at: string;
  readonly bytes: number;
  readonly files: number;
  /** The digest of the values that the build saw. */
  readonly values?: string;
}

export type DeployOutcome = "done" | "reverted" | "failed" | "half";

interface DeployEnd {
  readonly event: "end";
  readonly outcome: DeployOutcome;
  readonly at: string;
  readonly reason?: string;
  /** The code of the error. */
  readonly cause?: string | undefined;
}

export type DeployEvent =
  | DeployHead
  | ({ readonly event: "command"; readonly name: string } & StartedCommand)
  | PreparedEvent
  | { readonly event: "apply"; readonly at: string }
  | { readonly event: "release"; readonly release: string }
  | { readonly event: "switch"; readonly at: string }
  | DeployEnd
  | { readonly event: "pruned"; readonly at: string };

export type DeployState = "preparing" | "prepared" | "applying" | DeployOutcome | "pruned";

export interface DeployRecord extends Omit<DeployHead, "event"> {
  readonly state: DeployState;
  readonly endedAt: string | null;
  readonly preparedAtMs: number | null;
  readonly values: string | undefined;
  readonly size: { readonly bytes: number; readonly files: number } | null;
  /** The last apply of it in the list of releases. */
  readonly release: string | null;
  readonly reason: string | null;
  readonly cause: string | undefined;
  readonly commands: readonly StartedCommand[];
  /** In its last apply, as `hasSwitched`: a kept release may be applied again. */
  readonly hasBegun: boolean;
  readonly hasSwitched: boolean;
}

/** `undefined` for a journal whose first line is torn. */
export function toDeployRecord(events: readonly DeployEvent[]): DeployRecord | undefined {
  const head = events.find((event) => event.event === "begin");
  if (head === undefined) return undefined;
  const { event: _event, ...facts } = head;
  const last = <Kind extends DeployEvent["event"]>(kind: Kind) =>
    events.findLast((event): event is Extract<DeployEvent, { readonly event: Kind }> => event.event === kind);
  const [prepared, end] = [last("prepared"), last("end")];
  const own = events.slice(
    Math.max(
      0,
      events.findLastIndex(({ event }) => event === "apply"),
    ),
  );
  return {
    ...facts,
    state: stateOf(events),
    endedAt: end?.at ?? null,
    preparedAtMs: prepared === undefined ? null : Date.parse(prepared.at),
    values: prepared?.values,
    size: prepared === undefined ? null : { bytes: prepared.bytes, files: prepared.files },
    release: last("release")?.release ?? null,
    reason: end?.reason ?? null,
    cause: end?.cause,
    commands: events.flatMap((event) => (event.event === "command" ? [event] : [])),
    hasBegun: own.some(({ event }) => event === "release"),
    hasSwitched: own.some(({ event }) => event === "switch"),
  };
}

/** The last event that changes it counts: a kept release may be applied again. */
function stateOf(events: readonly DeployEvent[]): DeployState {
  const last = events.findLast(({ event }) => STATE_EVENTS.has(event));
  if (last?.event === "end") return last.outcome;
  if (last?.event === "pruned") return "pruned";
  return last?.event === "apply" ? "applying" : last?.event === "prepared" ? "prepared" : "preparing";
}

const STATE_EVENTS: ReadonlySet<DeployEvent["event"]> = new Set(["prepared", "apply", "end", "pruned"]);

export function toPlace(layout: Layout, { id, prefix, commit, checkout }: DeployRecord): ReleasePlace {
  return { layout, id, prefix, commit, checkout };
}

/** Deploys the same code again: an archive has no commit. */
export function deployCommand(
  { commit, digest, source }: Pick<DeployRecord, "commit" | "digest" | "source">,
  service?: string,
): string {
  const code = digest === undefined ? commit.slice(0, 10) : `--from ${shellQuote(source)}`;
  return `svcm deploy ${code}${service === undefined ? "" : ` --service ${service}`}`;
}

/** Its folder is whole, so the same commit need not be prepared again. */
export function isPrepared({ state, preparedAtMs }: Pick<DeployRecord, "state" | "preparedAtMs">): boolean {
  return preparedAtMs !== null && state !== "pruned";
}

/** Those that Git has to keep, by release. */
export function commitsOf(records: readonly DeployRecord[]): Map<string, string> {
  const own = records.filter((record) => isPrepared(record) && record.digest === undefined);
  return new Map(own.map(({ id, commit }) => [id, commit]));
}

export interface ChosenDeploy {
  readonly settings: DeploySettings;
  /** The service with a separate root; `""` for the root of the whole checkout. */
  readonly owner: string;
}

/**
 * A service with its own section has its own root. Otherwise the checkout has one for all services, and the name
 * of a service limits plan and apply.
 * @throws {SvcmError} INVALID_REQUEST with SERVICE_UNKNOWN or SERVICE_REQUIRED
 */
export function chooseDeploy(project: Project | undefined, service: string | undefined): ChosenDeploy {
  const shared = project?.deploy;
  const isDivided = Object.values(project?.services ?? {}).some(({ deploy }) => deploy !== undefined);
  const needsService = service !== undefined || (isDivided && shared === undefined);
  const chosen = needsService ? chooseService(project, service) : undefined;
  if (chosen?.service.deploy !== undefined) return { settings: chosen.service.deploy, owner: chosen.name };
  return { settings: shared ?? toDeploySettings(), owner: "" };
}

/** A release has the code of each service of its root; `--service` limits only plan and apply. */
export function servicesOf(project: Project | undefined, { owner }: Pick<ChosenDeploy, "owner">): NamedService[] {
  if (owner !== "") return chooseServices(project, owner);
  return chooseServices(project, undefined).filter(({ service }) => service.deploy === undefined);
}

export function rootOf(
  { settings, owner }: ChosenDeploy,
  root: string,
  defaultRoot: (service: string) => string,
): string {
  return settings.root === undefined ? defaultRoot(owner) : resolvePath(root, settings.root);
}

export function toDeploy(record: DeployRecord, current: string | null): Deploy {
  const { id, commit, digest, revision, subject, source, environment, by, at, endedAt, state, release, reason } =
    record;
  return {
    id,
    commit,
    ...(digest !== undefined && { digest }),
    revision,
    subject,
    environment,
    state,
    release,
    endedAt,
    from: source,
    source: by.source,
    ...(by.actor !== undefined && { actor: by.actor }),
    startedAt: at,
    ...(reason !== null && { reason }),
    current: id === current,
  };
}
