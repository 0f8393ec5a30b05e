export interface Health {
  /** Never throws. A process that does not answer in two seconds is unreachable. */
  ask(probe: Probe): Promise<HealthAnswer>;

  /** Different ports of this machine on which no process listens. */
  sparePorts(count: number): Promise<number[]>;
}

/**
 * `http`: a GET of the path is answered with a status from 200 to 299. `websocket`: an upgrade at the path is answered with
 * 101. `grpc`: `grpc.health.v1.Health/Check` is answered with SERVING.
 */
export interface Probe {
  readonly kind: "http" | "websocket" | "grpc";
  readonly port: number;
  readonly path: string;
  /** Of the gRPC health protocol; absent for the whole server. */
  readonly service?: string;
  /** A person chose the probe, so a process without that path or service is not healthy. */
  readonly isDeclared?: boolean;
}

export type HealthAnswer =
  /** `pid` is the process that answered, if its answer says so. */
  | { readonly state: "healthy"; readonly pid: number | null }
  | {
      readonly state: "unhealthy";
      readonly code: "HEALTH_STATUS" | "HEALTH_UNREACHABLE";
      readonly details: string;
      readonly pid: number | null;
    }
  /** The process answers, and has no such path or service. */
  | { readonly state: "absent" };
