export interface Health {
  /** Never throws. A process that does not answer in two seconds is unreachable. */
  ask(probe: Probe): Promise<HealthAnswer>;
}

/**
 * `http`: a GET of the path is answered with a status from 200 to 299. `websocket`: an upgrade at the path is answered with
 * 101. `grpc`: `grpc.health.v1.Health/Check` for the whole server is answered with SERVING.
 */
export interface Probe {
  readonly kind: "http" | "websocket" | "grpc";
  readonly port: number;
  readonly path: string;
}

export type HealthAnswer =
  /** `pid` is the process that answered, if its answer says so. */
  | { readonly state: "healthy"; readonly pid: number | null }
  | { readonly state: "unhealthy"; readonly code: "HEALTH_STATUS" | "HEALTH_UNREACHABLE"; readonly details: string }
  /** The process answers, and has no such path or service. */
  | { readonly state: "absent" };
