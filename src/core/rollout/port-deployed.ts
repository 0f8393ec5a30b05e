import type { Issue } from "../api/issue.ts";
import type { RollbackPlan } from "../api/rollout-requests.ts";
import type { ReleasedCode } from "../api/rollout.ts";
import type { EnvironmentRequest } from "../project/resolve.ts";
import type { ProcessRecord } from "../pm2/process-record.ts";
import type { Repository } from "../pm2/ports.ts";
import type { HasRevisions } from "../files/ports.ts";
import type { HasRunningCode } from "../running/port-running-code.ts";
import { withMembers } from "../words/record.ts";

/** After a deploy, its release is what this machine should run, and the checkout is only where commands are given. */
export interface Deployed {
  /** The current release as the repository; `undefined` if the checkout itself is what should run. */
  world(request: EnvironmentRequest): Promise<DeployedWorld | undefined>;

  /** The path of `current`, which exists only after a deploy. */
  link(request: EnvironmentRequest): Promise<string | undefined>;

  /** The name of the folder that `current` of a deploy root leads to; null without one. */
  current(root: string): Promise<string | null>;

  /** The release of another tool that `current` of the whole checkout leads to; null without one. */
  foreign(): Promise<ForeignRelease | null>;

  /**
   * Deploys that were cut off, with what finishes them, a `current` that is not a link, and apps that run a newer release.
   * @param lastApplied the newest release of the list that was applied
   * @param touched processes with a step
   */
  issues(
    request: EnvironmentRequest,
    lastApplied: string | undefined,
    touched: readonly TouchedProcess[],
  ): Promise<Issue[]>;

  /** Of a service, or of the whole checkout; below PM2_HOME. */
  defaultRoot(service: string): string;

  /** No deploy of this root runs meanwhile, because its pruning could remove the code. @throws {SvcmError} DEPLOY_LOCKED */
  withLock<T>(root: string, timeoutMs: number, work: () => Promise<T>, signal?: AbortSignal): Promise<T>;

  /** Code of a release folder, and of its packages, that is not as it was prepared. Empty if that is not known. */
  changedFiles(code: Pick<ReleasedCode, "root"> & { readonly id: string }): Promise<string[]>;

  /** The move of `current` by `switchTo`; `undefined` if it leads there already. */
  planSwitch(code: Pick<ReleasedCode, "id" | "root">): Promise<RollbackPlan["current"]>;

  /** Moves `current` to the code that a rollback has started. */
  switchTo(code: Pick<ReleasedCode, "id" | "root">): Promise<void>;

  /** Ends the record of a deploy that was cut off, or is half done, and is undone as a whole. @param at as in a journal */
  endUndone(code: Pick<ReleasedCode, "former" | "root">, at: string): Promise<void>;
}

export type TouchedProcess = Pick<ProcessRecord, "name" | "cwd">;

export interface ForeignRelease {
  /** As the link names it. */
  readonly folder: string;
  /** By its file REVISION. */
  readonly commit: string | null;
}

export interface DeployedWorld extends Repository, HasRevisions, HasRunningCode {
  /** A warning about files of the release that are not as they were prepared; none without such files. */
  readonly changed: (names: readonly string[]) => Issue[];
}

export interface HasDeployed {
  readonly deployed: Deployed;
}

/** For what concerns the processes: without a deploy, the same ports. */
export async function withDeployed<P extends HasDeployed>(ports: P, request: EnvironmentRequest): Promise<P> {
  return inWorld(ports, await ports.deployed.world(request));
}

export function inWorld<P extends object>(ports: P, world: DeployedWorld | undefined): P {
  if (world === undefined) return ports;
  const { changed: _issue, ...members } = world;
  return withMembers(ports, members);
}

/** Requests to the processes of apps, over loopback. */
export interface Health {
  /** Never throws. A process that does not respond within two seconds is unreachable. */
  check(probe: Probe): Promise<HealthResult>;

  /** Unused ports of this machine, all different. */
  freePorts(count: number): Promise<number[]>;
}

/**
 * `http`: a GET of the path returns a status from 200 to 299. `websocket`: an upgrade at the path returns 101. `grpc`:
 * `grpc.health.v1.Health/Check` returns SERVING.
 */
export interface Probe {
  readonly kind: "http" | "websocket" | "grpc";
  readonly port: number;
  readonly path: string;
  /** Service name of the gRPC health protocol; absent for the whole server. */
  readonly service?: string;
  /** The user configured the probe, so a process without that path or service is unhealthy. */
  readonly isDeclared?: boolean;
}

export type HealthResult =
  /** `pid` is the process that responded, if the response contains it. */
  | { readonly state: "healthy"; readonly pid: number | null }
  | {
      readonly state: "unhealthy";
      readonly code: "HEALTH_STATUS" | "HEALTH_UNREACHABLE";
      readonly details: string;
      readonly pid: number | null;
    }
  /** The process responds but has no such path or service. */
  | { readonly state: "absent" };

export interface HasHealth {
  readonly health: Health;
}

/** Why a reboot would not bring back what runs. The room of boot decides it. */
export interface BootOutlook {
  /** Of the last look: errors only; `undefined` before it, or if svcm could not look. */
  last(): readonly Issue[] | undefined;

  look(): Promise<void>;

  /** Warnings for a plan: apps that PM2's saved list has otherwise than they run. Empty without a list. */
  apps(): Promise<Issue[]>;
}

export interface HasBootOutlook {
  readonly bootOutlook: BootOutlook;
}
