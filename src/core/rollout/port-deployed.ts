import type { Issue } from "../api/issue.ts";
import type { ReleasedCode } from "../api/rollout.ts";
import type { EnvironmentRequest } from "../project/resolve.ts";
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

  /** Deploys that were cut off, and what finishes them. */
  interrupted(request: EnvironmentRequest): Promise<Issue[]>;

  /** Of a service, or of the whole checkout; below PM2_HOME. */
  defaultRoot(service: string): string;

  /** No deploy of this root runs meanwhile, because its pruning could remove the code. @throws {SvcmError} DEPLOY_LOCKED */
  withLock<T>(root: string, timeoutMs: number, work: () => Promise<T>): Promise<T>;

  /** Moves `current` to the code that a rollback has started. */
  switchTo(code: Pick<ReleasedCode, "id" | "root">): Promise<void>;
}

export interface ForeignRelease {
  /** As the link names it. */
  readonly folder: string;
  /** By its file REVISION. */
  readonly commit: string | null;
}

export interface DeployedWorld extends Repository, HasRevisions, HasRunningCode {}

export interface HasDeployed {
  readonly deployed: Deployed;
}

/** For what concerns the processes: without a deploy, the same ports. */
export async function withDeployed<P extends HasDeployed>(ports: P, request: EnvironmentRequest): Promise<P> {
  const world = await ports.deployed.world(request);
  return world === undefined ? ports : withMembers(ports, world);
}
