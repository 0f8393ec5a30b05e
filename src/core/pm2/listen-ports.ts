import { parsePort } from "../words/port.ts";

/** Others, such as `SVC_REDIS_PORT`, have the port of another service. */
export const LISTEN_VARIABLES =
  /^(?:PORT|PM2_SERVE_PORT|SVC_(?:HTTP|REST|WEBSOCKET|GRPC|METRICS|SERVICE_MANAGEMENT)_PORT)$/;

/** The ports that an app has in its variables to listen on. */
export function listenPorts(environment: Readonly<Record<string, unknown>>): number[] {
  const ports = Object.entries(environment)
    .filter(([variable]) => LISTEN_VARIABLES.test(variable))
    .flatMap(([, value]) => parsePort(value) ?? []);
  return [...new Set(ports)];
}
