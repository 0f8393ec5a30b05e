import type { SubscribeFrame } from "../../core/api/frames.ts";
import type { Identity } from "../../core/index.ts";
import type { AccessPolicy } from "../access.ts";
import type { Authenticate } from "../authentication.ts";
import type { Limits } from "../limits.ts";
import type { LazyMachines } from "../machines.ts";
import type { RefusalLog } from "../refusals.ts";
import type { Rollouts } from "../rollouts.ts";
import type { LogStreaming } from "./log-stream.ts";
import type { ActionRunner } from "./run-action.ts";
import type { Streaming } from "./subscription.ts";

export interface SessionContext extends Streaming, LogStreaming {
  readonly policy: AccessPolicy;
  readonly authenticate: Authenticate;
  readonly limits: Limits;
  readonly act: ActionRunner;
  readonly rollouts: Rollouts;
  readonly refusals: RefusalLog;
  readonly machines: LazyMachines;
  /** @throws {SvcmError} FORBIDDEN if the token is limited to other environments or services */
  readonly mayWatch: (identity: Identity, place: Pick<SubscribeFrame, "environment" | "service">) => Promise<void>;
  /** @throws {SvcmError} UNAUTHORIZED, FORBIDDEN */
  readonly mayReadLogs: (identity: Identity) => Promise<void>;
}

export interface Client {
  readonly identity: Identity;
  /** As sent with the upgrade. */
  readonly authorization: string | undefined;
  readonly address: string;
  /** False if the server has no room for the client after it has sent its token. */
  readonly hasPlace: () => boolean;
}
