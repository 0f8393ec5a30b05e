import type { RequestListener } from "node:http";
import type { Route } from "./route.ts";

/** An application of a framework, without a socket, because Node owns the socket. */
export interface FrameworkApplication {
  readonly listener: RequestListener;
  close?(): Promise<void>;
}

/** Bridges the routes to a framework, which gets only requests that match a route. */
export type CreateApplication = (routes: readonly Route[]) => Promise<FrameworkApplication>;
