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
