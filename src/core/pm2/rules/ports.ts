import { first, spellings } from "../normalise.ts";
import { sharing, type CheckedApp, type EcosystemRule, type Finding } from "../rule.ts";

/** Variables that name a port to listen on; others, such as `SVC_REDIS_PORT`, name somebody else's. */
const LISTENING = /^(?:PORT|SVC_(?:HTTP|REST|WEBSOCKET|GRPC|METRICS|SERVICE_MANAGEMENT)_PORT)$/;
const MAX_PORT = 65_535;
/** What a server with requests in flight needs; PM2 gives 1600 ms. */
const DRAIN_MS = 5000;

interface Listener {
  readonly app: CheckedApp;
  readonly variable: string;
  readonly port: string;
}

export const invalidPorts: EcosystemRule = ({ apps }) =>
  apps.flatMap(listenersOf).flatMap(({ app, variable, port }): Finding[] => {
    if (/^\d{1,5}$/.test(port) && Number(port) <= MAX_PORT) return [];
    const message = `${app.label}: ${variable} is not a port; accepted: an integer from 1 to ${MAX_PORT}`;
    return [{ code: "ECOSYSTEM_PORT_INVALID", path: ["apps", app.index, "env", variable], message }];
  });

export const portCollisions: EcosystemRule = ({ apps }) => {
  const bound = apps.flatMap(listenersOf).filter(({ port }) => Number(port) > 0);
  return [...sharing(bound, ({ port }) => String(Number(port)))].flatMap(([port, listeners]) => {
    const [one, ...others] = listeners;
    const foreign = others.filter(({ app }) => app !== one?.app);
    return foreign.map(({ app, variable }) => ({
      code: "ECOSYSTEM_PORT_COLLISION",
      path: ["apps", app.index, "env", variable],
      message: `${app.label}: ${variable} is ${port}, which ${one?.app.label} has as ${one?.variable}`,
    }));
  });
};

/** Only a cluster shares a port. */
export const portInstances: EcosystemRule = ({ apps }) =>
  apps.flatMap((app): Finding[] => {
    const { instances, execMode } = app.declared;
    const listener = listenersOf(app).find(({ port }) => Number(port) > 0);
    if (listener === undefined || instances < 2 || execMode === "cluster") return [];
    const message = `${app.label}: ${instances} instances in fork mode would all listen on ${listener.variable}=${listener.port}; use exec_mode: "cluster" or one instance`;
    return [{ code: "ECOSYSTEM_PORT_INSTANCES", path: ["apps", app.index, "instances"], message }];
  });

export const killTimeouts: EcosystemRule = ({ apps }) =>
  apps.flatMap((app): Finding[] => {
    const given = first(app.fields, spellings.killTimeout);
    if (listenersOf(app).length === 0 || Number(given ?? 0) >= DRAIN_MS) return [];
    const now = given === undefined ? "PM2 kills it 1600 ms after SIGINT" : `kill_timeout is ${JSON.stringify(given)}`;
    const message = `${app.label}: ${now}, which may cut requests in flight; set kill_timeout to ${DRAIN_MS} or more`;
    return [
      { code: "ECOSYSTEM_KILL_TIMEOUT", severity: "warning", path: ["apps", app.index, "kill_timeout"], message },
    ];
  });

function listenersOf(app: CheckedApp): Listener[] {
  return Object.entries(app.normal.env)
    .filter(([variable, port]) => LISTENING.test(variable) && port !== "")
    .map(([variable, port]) => ({ app, variable, port }));
}
