/**
 * `svcm/client`: live metrics of `svcm serve`, and actions on processes, for browsers and Node.
 *
 * ```ts
 * import { connect } from "svcm/client";
 * const client = connect({ url: "http://127.0.0.1:3200" });
 * for await (const frame of client.watch({ environment: "dev" })) console.log(frame);
 * ```
 */
export { connect } from "./client.ts";
export type {
  Action,
  ActionResult,
  Client,
  ClientOptions,
  ConnectionState,
  EventOptions,
  LogsOptions,
  SocketConstructor,
  SocketLike,
  SvcmEvent,
  WatchFrame,
  WatchOptions,
} from "./api.ts";
export { OutcomeUnknownError, ServiceError } from "./connection.ts";
export type * from "./frames.generated.ts";
