import { ownMember } from "../../words/record.ts";
import { parsePort } from "../../words/port.ts";
import type { Probe } from "../port-probes.ts";
import type { HealthSettings } from "../../project/rollout-settings.ts";

export interface AppProbe extends Probe {
  readonly portKey: string | null;
}

type Protocol = Probe["kind"];

const SOCKET_IO = "/socket.io/?EIO=4&transport=websocket";

const DEFAULTS_BY_PROTOCOL: Readonly<Record<Protocol, { readonly port: string; readonly path: string }>> = {
  http: { port: "SVC_HTTP_PORT", path: "/health" },
  websocket: { port: "SVC_HTTP_PORT", path: SOCKET_IO },
  grpc: { port: "SVC_GRPC_PORT", path: "/" },
};

/** The startup contract names apps after their protocol. */
const SETTINGS_BY_SUFFIX: Readonly<Record<string, HealthSettings>> = {
  restapi: { protocol: "http" },
  websocketapi: { protocol: "websocket" },
  grpcapi: { protocol: "grpc" },
};

export function findPortKey(app: string, health: Readonly<Record<string, HealthSettings>>): string | undefined {
  const { port } = resolveSettings(app, health) ?? {};
  return typeof port === "string" ? port : undefined;
}

export function resolveProbe(
  app: string,
  env: Readonly<Record<string, unknown>>,
  health: Readonly<Record<string, HealthSettings>> = {},
): AppProbe | undefined {
  const found = resolveSettings(app, health);
  if (found === undefined) return undefined;
  const { kind, path, port: declaredPort, service, isDeclared } = found;
  const port = typeof declaredPort === "number" ? declaredPort : parsePort(ownMember(env, declaredPort));
  if (port === null) return undefined;
  const portKey = typeof declaredPort === "string" ? declaredPort : null;
  return { kind, path, port, portKey, ...(service !== undefined && { service }), ...(isDeclared && { isDeclared }) };
}

interface ResolvedSettings extends Pick<Probe, "kind" | "path" | "service" | "isDeclared"> {
  readonly port: number | string;
}

function resolveSettings(app: string, health: Readonly<Record<string, HealthSettings>>): ResolvedSettings | undefined {
  const suffixes = [...Object.keys(SETTINGS_BY_SUFFIX), ...Object.keys(health)].filter((suffix) =>
    app.endsWith(suffix),
  );
  const suffix = suffixes.toSorted((a, b) => b.length - a.length)[0];
  if (suffix === undefined) return undefined;
  const { protocol = "http", ...declared } = { ...ownMember(SETTINGS_BY_SUFFIX, suffix), ...ownMember(health, suffix) };
  if (protocol === "none") return undefined;
  return { kind: protocol, ...DEFAULTS_BY_PROTOCOL[protocol], ...declared, isDeclared: Object.hasOwn(health, suffix) };
}
