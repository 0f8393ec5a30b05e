import { ownMember } from "../../words/record.ts";
import { acceptedText } from "../../findings/rule.ts";
import { MAX_PORT } from "../../words/numbers.ts";
import { LISTEN_VARIABLES } from "../pm2-fields.ts";
import type { Data } from "../loaded.ts";
import { firstValue, fieldNames } from "../normalise.ts";
import { appRule, groupsOfSeveral, type CheckedApp, type EcosystemRule } from "./rule.ts";

/** Long enough for a server to finish its requests; PM2's default is 1600 ms. */
const MIN_KILL_TIMEOUT_MS = 5000;

interface Listener {
  readonly app: CheckedApp;
  readonly variable: string;
  readonly port: string;
}

export const invalidPorts = appRule({
  code: "ECOSYSTEM_PORT_INVALID",
  severity: "error",
  *check(app) {
    for (const { variable, port } of listenersOf(app)) {
      if (/^\d{1,5}$/.test(port) && Number(port) <= MAX_PORT) continue;
      // Node.js listens on a Unix socket if it gets a path.
      if (variable === "PORT" && /^\.{0,2}\//.test(port)) continue;
      const message = acceptedText(`${variable} is not a port`, `an integer from 1 to ${MAX_PORT}`);
      yield { path: ["env", variable], message };
    }
  },
});

export const portCollisions: EcosystemRule = {
  code: "ECOSYSTEM_PORT_COLLISION",
  severity: "error",
  blocks: "unless they already run",
  check({ apps }) {
    const bound = apps.flatMap(listenersOf).flatMap(countedListeners);
    return [...groupsOfSeveral(bound, ({ port }) => port)].flatMap(([port, listeners]) => {
      const [one, ...others] = listeners;
      const foreign = others.filter(({ app }) => one !== undefined && app !== one.app && sharesAddress(app, one.app));
      return foreign.map(({ app, variable }) => ({
        path: ["apps", app.index, "env", variable],
        message: `${app.label}: ${variable} is ${port}, which ${one?.app.label} has as ${one?.variable}`,
        apps: [app, ...(one ? [one.app] : [])].map(({ normal }) => normal.name),
      }));
    });
  },
};

const ADDRESS_VARIABLES = ["HOST", "HOSTNAME", "BIND_ADDRESS", "SVC_HTTP_HOST"];

/** On different addresses, such as 127.0.0.1 and 127.0.0.2, two apps can listen on one port. */
function sharesAddress(one: CheckedApp, other: CheckedApp): boolean {
  const [first, second] = [one, other].map(({ declared }) =>
    ADDRESS_VARIABLES.map((name) => ownMember(declared.env, name)).find(
      (value) => value !== undefined && /^[\d.:a-f]+$/i.test(value),
    ),
  );
  return isAnyAddress(first) || isAnyAddress(second) || first === second;
}

function isAnyAddress(address: string | undefined): boolean {
  return address === undefined || /^(?:0\.0\.0\.0|::)$/.test(address);
}

/** Only the instances of a cluster can share a port. */
export const portInstances = appRule({
  code: "ECOSYSTEM_PORT_INSTANCES",
  severity: "error",
  *check(app) {
    const { instances, execMode } = app.declared;
    const listener = listenersOf(app).find(({ port }) => Number(port) > 0);
    if (listener === undefined || instances < 2 || execMode === "cluster") return;
    const { variable, port } = listener;
    if (incrementVarOf(app) === variable) return;
    const message = `${instances} instances in fork mode would all listen on ${variable}=${port}; use exec_mode: "cluster", increment_var: "${variable}" or one instance`;
    yield { path: ["instances"], message };
  },
});

export const killTimeouts = appRule({
  code: "ECOSYSTEM_KILL_TIMEOUT",
  severity: "warning",
  *check(app) {
    const killTimeout = firstValue(app.fields, fieldNames.killTimeout);
    const isServer = listenersOf(app).some(({ variable }) => variable !== "PM2_SERVE_PORT");
    if (!isServer || Number(killTimeout ?? 0) >= MIN_KILL_TIMEOUT_MS) return;
    const given = `kill_timeout is ${JSON.stringify(killTimeout)}`;
    const now = killTimeout === undefined ? "PM2 kills it 1600 ms after SIGINT" : given;
    const message = `${now}, which may cut requests in flight; set kill_timeout to ${MIN_KILL_TIMEOUT_MS} or more`;
    yield { path: ["kill_timeout"], message };
  },
});

/** Each instance has its own port if PM2 counts the variable up. */
function countedListeners(listener: Listener): Listener[] {
  const { app, variable, port } = listener;
  const first = Number(port);
  if (!(first > 0)) return [];
  const count = incrementVarOf(app) === variable ? app.declared.instances : 1;
  return Array.from({ length: count }, (_, position) => ({ ...listener, port: String(first + position) }));
}

function incrementVarOf({ fields }: CheckedApp): Data | undefined {
  return firstValue(fields, fieldNames.incrementVar);
}

function listenersOf(app: CheckedApp): Listener[] {
  return Object.entries(app.normal.env)
    .filter(([variable, port]) => LISTEN_VARIABLES.test(variable) && port !== "")
    .map(([variable, port]) => ({ app, variable, port }));
}
