import type { LogsSubscribeFrame, SubscribeFrame } from "../../core/api/frames.ts";
import type { Identity, RefusalLog } from "../../core/index.ts";
import type { AccessPolicy, Authenticate } from "../access.ts";
import type { Limits } from "../limits.ts";
import type { Fleet } from "../fleet.ts";
import type { Rollouts } from "../rollouts.ts";
import type { LogStreamContext } from "./log-stream.ts";
import type { ActionRunner } from "./run-action.ts";
import type { StreamContext } from "./peer.ts";

export interface SessionContext extends StreamContext, LogStreamContext {
  readonly policy: AccessPolicy;
  readonly authenticate: Authenticate;
  readonly limits: Limits;
  readonly runAction: ActionRunner;
  readonly rollouts: Rollouts;
  readonly refusals: RefusalLog;
  readonly fleet: Fleet;
  /** @throws {SvcmError} FORBIDDEN if the token is limited to other environments or services */
  readonly requireWatchAccess: (
    identity: Identity,
    target: Pick<SubscribeFrame, "environment" | "service">,
  ) => Promise<void>;
  /** @throws {SvcmError} UNAUTHORIZED, FORBIDDEN */
  readonly requireLogAccess: (identity: Identity, target: Pick<LogsSubscribeFrame, "apps" | "node">) => Promise<void>;
}

export interface Client {
  readonly identity: Identity;
  /** As sent with the upgrade. */
  readonly authorization: string | undefined;
  readonly address: string;
  /** False if the server has no room for the client after it has sent its token. */
  readonly hasCapacity: () => boolean;
}
