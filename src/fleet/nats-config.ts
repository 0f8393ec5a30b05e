/**
 * An account for each key, and the streams are in an account without users. So a reply that the server writes for a key
 * reaches only subjects of the same account, and its imports, which the key may use anyway.
 */
import { eventsList, isGranted, remoteOperations, rightsOf, type NatsProject } from "../core/index.ts";
import {
  EVENTS_STREAM,
  eventSubject,
  importedApi,
  NODES_STREAM,
  nodeRequestSubjects,
  presenceSubject,
  requestKind,
  requestSubject,
  rolloutStream,
  rolloutSubject,
  streamApi,
  type StreamVerb,
} from "./subjects.ts";
import { listWriters } from "./rollout/store.ts";

const STREAMS = "STREAMS";
const FLEET = "FLEET";
/** A machine has one connection, and another one while it is replaced. */
const NODE_LIMITS = "max_connections: 4, max_subscriptions: 100, max_payload: 1MB";
/** A user has a connection for each command and console. */
const USER_LIMITS = "max_connections: 64, max_subscriptions: 1000, max_payload: 1MB";

/** An import with both a wildcard and another local name would crash some servers. */
interface Import {
  readonly account: string;
  readonly subject: string;
  readonly to?: string;
}

interface Account {
  readonly name: string;
  readonly comment: string;
  readonly nkey: string;
  readonly limits: string;
  readonly exports: readonly string[];
  readonly imports: readonly Import[];
}

/** @param environments each has a stream for its rollouts */
export function natsConfig(nats: NatsProject, environments: readonly string[]): string {
  const members = [
    ...Object.entries(nats.nodes).map(([name, { nkey }]) => ({ name, nkey, make: nodeAccount })),
    ...Object.entries(nats.users).map(([name, { nkey }]) => ({ name, nkey, make: userAccount })),
  ];
  const accounts = members.flatMap(({ name, nkey, make }) =>
    nkey === undefined ? [] : [make({ nats, environments }, name, nkey)],
  );
  const withoutKey = members.filter(({ nkey }) => nkey === undefined).map(({ name }) => name);
  const nodes = Object.entries(nats.nodes).filter(([, { nkey }]) => nkey !== undefined);
  return [
    "# Made by svcm nats config from svcm.yaml. Include it in the configuration of the server:",
    '#   include "svcm.conf"',
    "# The server needs nats-server 2.10.27 or newer, and JetStream: jetstream { store_dir: /var/lib/nats }",
    "# Add no user to STREAMS or FLEET, and no no_auth_user: the streams are safe because their account has no user.",
    ...withoutKey.map((name) => `# ${name}: no nkey in svcm.yaml; svcm nats key creates one`),
    "accounts {",
    `  ${STREAMS} {`,
    "    jetstream: enabled",
    `    exports: [ { service: "${streamApi("INFO", "x").replace(/INFO\.x$/, "*.*")}" }, { service: "${streamApi("MSG.GET", "*")}" }, { service: "in.>" } ]`,
    "  }",
    `  ${FLEET} {`,
    '    exports: [ { service: "svcm.>" } ]',
    ...renderImports(nodes.map(([name]) => ({ account: `N-${name}`, subject: nodeRequestSubjects(name) }))),
    "  }",
    ...accounts.flatMap(renderAccount),
    "}",
    "ping_interval: 20s",
    "ping_max: 2",
    "",
  ].join("\n");
}

interface Declared {
  readonly nats: NatsProject;
  readonly environments: readonly string[];
}

function nodeAccount({ environments }: Declared, name: string, nkey: string): Account {
  const own = [presenceSubject(name), eventSubject(name)].map((subject) => ({ account: STREAMS, subject }));
  return {
    name: `N-${name}`,
    comment: `node ${name}`,
    nkey,
    limits: NODE_LIMITS,
    exports: [`{ service: "${nodeRequestSubjects(name)}", accounts: [${FLEET}] }`],
    imports: [...own, ...readImports([NODES_STREAM, EVENTS_STREAM, ...environments.map(rolloutStream)])],
  };
}

function userAccount({ nats, environments }: Declared, name: string, nkey: string): Account {
  const { role } = nats.users[name] ?? { role: "viewer" };
  const rights = rightsOf[role];
  const requests = remoteOperations
    .filter(({ access }) => isGranted(rights, access))
    .map(({ id, access }) => ({
      account: FLEET,
      subject: requestSubject({ node: "*", kind: requestKind(access), id, user: name }),
    }));
  const held = environments
    .filter((environment) => listWriters(nats, environment).some(([writer]) => writer === name))
    .map((environment) => ({ account: STREAMS, subject: rolloutSubject(environment, name) }));
  const events = isGranted(rights, eventsList.access) ? [EVENTS_STREAM] : [];
  const streams = [NODES_STREAM, EVENTS_STREAM, ...environments.map(rolloutStream)];
  return {
    name: `U-${name}`,
    comment: `${name}, ${role}`,
    nkey,
    limits: USER_LIMITS,
    exports: [],
    imports: [
      ...requests,
      ...held,
      ...readImports([NODES_STREAM, ...events, ...environments.map(rolloutStream)]),
      // Only an admin creates a stream, because its creator decides which messages it takes.
      ...(isGranted(rights, "admin") ? streams.flatMap((stream) => apiImports(["CREATE", "UPDATE"], stream)) : []),
    ],
  };
}

function readImports(streams: readonly string[]): Import[] {
  return streams.flatMap((stream) => apiImports(["INFO", "MSG.GET"], stream));
}

function apiImports(verbs: readonly StreamVerb[], stream: string): Import[] {
  return verbs.map((verb) => ({ account: STREAMS, subject: streamApi(verb, stream), to: importedApi(verb, stream) }));
}

function renderAccount({ name, comment, nkey, limits, exports, imports }: Account): string[] {
  return [
    `  ${name} { # ${comment}`,
    `    limits: { ${limits} }`,
    `    users: [ { nkey: ${nkey} } ]`,
    ...(exports.length === 0 ? [] : [`    exports: [ ${exports.join(", ")} ]`]),
    ...renderImports(imports),
    "  }",
  ];
}

function renderImports(imports: readonly Import[]): string[] {
  const lines = imports.map(({ account, subject, to }) => {
    const local = to === undefined ? "" : `, to: "${to}"`;
    return `      { service: { account: ${account}, subject: "${subject}" }${local} }`;
  });
  return lines.length === 0 ? [] : ["    imports: [", ...lines, "    ]"];
}
