import { eventsList, isGranted, remoteOperations, rightsOf, rolloutApply, type NatsProject } from "../core/index.ts";
import type { Right } from "../core/api/rights.ts";
import {
  replyPrefix,
  EVENTS_STREAM,
  eventSubject,
  inboxPrefix,
  requestKind,
  NODES_STREAM,
  ROLLOUT_KEY,
  ROLLOUTS_STREAM,
  bucketSubject,
  requestSubject,
  nodeRequestSubjects,
} from "./subjects.ts";

/**
 * A reply to these requests is never empty and never contains another user's text; `SAFE_SETTINGS` in `link-streams.ts` explains
 * why that matters.
 */
const infoSubject = (stream: string): string => `$JS.API.STREAM.INFO.${stream}`;
const messageSubject = (stream: string): string => `$JS.API.STREAM.MSG.GET.${stream}`;

const READ_EVENTS = [infoSubject(EVENTS_STREAM), messageSubject(EVENTS_STREAM)];
const READ_NODES = [infoSubject(NODES_STREAM), messageSubject(NODES_STREAM)];

const READ_ROLLOUT = [messageSubject(ROLLOUTS_STREAM)];

const HOLD_ROLLOUT = [`${bucketSubject(ROLLOUTS_STREAM)}${ROLLOUT_KEY}`];

/** Only an admin creates a stream, because its creator could make the server publish in the name of other users. */
const SET_UP = [NODES_STREAM, ROLLOUTS_STREAM, EVENTS_STREAM].flatMap((stream) =>
  ["INFO", "CREATE", "UPDATE"].map((verb) => `$JS.API.STREAM.${verb}.${stream}`),
);

interface Permissions {
  readonly publish: readonly string[];
  readonly subscribe: readonly string[];
}

/** A user publishes only the operations of its role, under its own name; a node replies only as itself. */
export function natsConfig({ users, nodes }: NatsProject): string {
  const entries = [
    ...Object.entries(users).map(([name, { role, nkey }]) =>
      entry(`${name}, ${role}`, nkey, userPermissions(name, rightsOf[role])),
    ),
    ...Object.entries(nodes).map(([name, { nkey }]) => entry(`node ${name}`, nkey, nodePermissions(name))),
  ];
  return [
    "# Made by svcm nats config from svcm.yaml. Include it in the configuration of the server:",
    '#   include "svcm.conf"',
    "# The server needs JetStream: jetstream { store_dir: /var/lib/nats }",
    "accounts {",
    "  SVCM {",
    "    jetstream: enabled",
    "    users: [",
    ...entries,
    "    ]",
    "  }",
    "}",
    "",
  ].join("\n");
}

export function userPermissions(user: string, rights: readonly Right[]): Permissions {
  const operations = remoteOperations
    .filter(({ access }) => isGranted(rights, access))
    .map(({ id, access }) => requestSubject({ node: "*", kind: requestKind(access), id, user }));
  const more = [
    ...(isGranted(rights, eventsList.access) ? READ_EVENTS : []),
    ...(isGranted(rights, rolloutApply.access) ? HOLD_ROLLOUT : []),
    ...(isGranted(rights, "admin") ? SET_UP : []),
  ];
  return {
    publish: [...operations, ...READ_NODES, ...READ_ROLLOUT, ...more],
    subscribe: [`${inboxPrefix("user", user)}.>`],
  };
}

/** A node reads its newest event to find out which have arrived. */
export function nodePermissions(node: string): Permissions {
  const own = [`${bucketSubject(NODES_STREAM)}${node}`, eventSubject(node), `${replyPrefix({ node, user: "*" })}.*`];
  return {
    publish: [...own, ...READ_NODES, ...READ_ROLLOUT, ...READ_EVENTS],
    subscribe: [nodeRequestSubjects(node), `${inboxPrefix("node", node)}.>`],
  };
}

function entry(comment: string, nkey: string | undefined, { publish, subscribe }: Permissions): string {
  if (nkey === undefined) return `      # ${comment}: no nkey in svcm.yaml; svcm nats key creates one`;
  const lines = [
    `      { # ${comment}`,
    `        nkey: ${nkey}`,
    "        permissions: {",
    `          publish: { allow: [${publish.map(quoted).join(", ")}] }`,
    `          subscribe: { allow: [${subscribe.map(quoted).join(", ")}] }`,
    "        }",
    "      }",
  ];
  return lines.join("\n");
}

function quoted(subject: string): string {
  return JSON.stringify(subject);
}
