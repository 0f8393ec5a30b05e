import type { RequestListener } from "node:http";
import type { Route } from "./route.ts";

/** An application of some framework, without a socket: Node owns that. */
export interface FrameworkApplication {
  readonly listener: RequestListener;
  close?(): Promise<void>;
}

/** Bridges the routes to a framework. It sees only requests that one of the routes answers. */
export type CreateApplication = (routes: readonly Route[]) => Promise<FrameworkApplication>;
