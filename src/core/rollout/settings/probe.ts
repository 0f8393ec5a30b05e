import { parsePort } from "../../words/port.ts";
import type { Probe } from "../../ports/health.ts";
import type { HealthSettings } from "./settings.ts";

/** The port key is null if the port is fixed. */
export interface AppProbe extends Probe {
  readonly portKey: string | null;
}

type Protocol = Probe["kind"];

const SOCKET_IO = "/socket.io/?EIO=4&transport=websocket";

const BY_PROTOCOL: Readonly<Record<Protocol, { readonly port: string; readonly path: string }>> = {
  http: { port: "SVC_HTTP_PORT", path: "/health" },
  websocket: { port: "SVC_HTTP_PORT", path: SOCKET_IO },
  grpc: { port: "SVC_GRPC_PORT", path: "/" },
};

/** The startup contract names apps after their protocol. */
const BY_SUFFIX: Readonly<Record<string, HealthSettings>> = {
  restapi: { protocol: "http" },
  websocketapi: { protocol: "websocket" },
  grpcapi: { protocol: "grpc" },
};

export function portKeyOf(app: string, health: Readonly<Record<string, HealthSettings>>): string | undefined {
  const { port } = settingsFor(app, health) ?? {};
  return typeof port === "string" ? port : undefined;
}

export function probeOf(
  app: string,
  env: Readonly<Record<string, unknown>>,
  health: Readonly<Record<string, HealthSettings>> = {},
): AppProbe | undefined {
  const found = settingsFor(app, health);
  if (found === undefined) return undefined;
  const { kind, path, port: given, service, isDeclared } = found;
  const port = typeof given === "number" ? given : parsePort(env[given]);
  if (port === null) return undefined;
  const portKey = typeof given === "string" ? given : null;
  return { kind, path, port, portKey, ...(service !== undefined && { service }), ...(isDeclared && { isDeclared }) };
}

interface Completed extends Pick<Probe, "kind" | "path" | "service" | "isDeclared"> {
  readonly port: number | string;
}

/** The longest suffix wins. */
function settingsFor(app: string, health: Readonly<Record<string, HealthSettings>>): Completed | undefined {
  const suffixes = [...Object.keys(BY_SUFFIX), ...Object.keys(health)].filter((suffix) => app.endsWith(suffix));
  const suffix = suffixes.toSorted((a, b) => b.length - a.length)[0];
  if (suffix === undefined) return undefined;
  const { protocol = "http", ...given } = { ...BY_SUFFIX[suffix], ...health[suffix] };
  if (protocol === "none") return undefined;
  return { kind: protocol, ...BY_PROTOCOL[protocol], ...given, isDeclared: Object.hasOwn(health, suffix) };
}
