import { eventsList, isGranted, remoteOperations, rightsOf, rolloutApply } from "../core/index.ts";
import type { Right } from "../core/api/rights.ts";
import type { NatsProject } from "./settings.ts";
import {
  EVENTS_STREAM,
  eventsOf,
  inboxOf,
  kindOf,
  NODES_BUCKET,
  ROLLOUT_KEY,
  ROLLOUTS_BUCKET,
  subjectOf,
  subjectsOfNode,
} from "./subjects.ts";

const STREAM = `KV_${NODES_BUCKET}`;
const EVENTS_INFO = `$JS.API.STREAM.INFO.${EVENTS_STREAM}`;
const EVENTS_NEXT = `$JS.API.CONSUMER.MSG.NEXT.${EVENTS_STREAM}.*`;

/** To read the events of all nodes. */
const READ_EVENTS = [EVENTS_INFO, `$JS.API.CONSUMER.CREATE.${EVENTS_STREAM}.*.${eventsOf("*")}`, EVENTS_NEXT];

/** Only an admin makes the stream, because the maker of a stream could let the server publish in the name of others. */
const SET_UP_EVENTS = [`$JS.API.STREAM.CREATE.${EVENTS_STREAM}`, `$JS.API.STREAM.UPDATE.${EVENTS_STREAM}`];

/** To read the bucket of the nodes. */
const READ_NODES = [
  "$JS.API.INFO",
  `$JS.API.STREAM.INFO.${STREAM}`,
  `$JS.API.STREAM.CREATE.${STREAM}`,
  `$JS.API.CONSUMER.*.${STREAM}`,
  `$JS.API.CONSUMER.*.${STREAM}.>`,
  `$JS.API.DIRECT.GET.${STREAM}`,
  `$JS.API.DIRECT.GET.${STREAM}.>`,
  `$JS.API.STREAM.MSG.GET.${STREAM}`,
  "$JS.FC.>",
];

/** To read the record of the rollout: a node compares each step with it. */
const READ_ROLLOUT = [`$JS.API.STREAM.MSG.GET.KV_${ROLLOUTS_BUCKET}`];

/** To hold the lock of a rollout, which takes the right to apply. */
const HOLD_ROLLOUT = [`$KV.${ROLLOUTS_BUCKET}.${ROLLOUT_KEY}`];

const SET_UP_ROLLOUTS = ["INFO", "CREATE"].map((verb) => `$JS.API.STREAM.${verb}.KV_${ROLLOUTS_BUCKET}`);

interface Permissions {
  readonly publish: readonly string[];
  readonly subscribe: readonly string[];
  /** The node may answer each request once. */
  readonly answers?: true;
}

/**
 * The accounts and permissions of a NATS server for the users and nodes of `svcm.yaml`. A user publishes only the
 * operations of its role, under its own name; a node announces and answers only as itself.
 */
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
    .map(({ id, access }) => subjectOf({ node: "*", kind: kindOf(access), id, user }));
  const more = [
    ...(isGranted(rights, eventsList.access) ? READ_EVENTS : []),
    ...(isGranted(rights, rolloutApply.access) ? HOLD_ROLLOUT : []),
    ...(isGranted(rights, "admin") ? [...SET_UP_EVENTS, ...SET_UP_ROLLOUTS] : []),
  ];
  return {
    publish: [...operations, ...READ_NODES, ...READ_ROLLOUT, ...more],
    subscribe: [`${inboxOf("user", user)}.>`],
  };
}

export function nodePermissions(node: string): Permissions {
  return {
    publish: [`$KV.${NODES_BUCKET}.${node}`, ...READ_NODES, ...READ_ROLLOUT, ...sendEvents(node)],
    subscribe: [subjectsOfNode(node), `${inboxOf("node", node)}.>`],
    answers: true,
  };
}

/** To send its own events, and to read them if its file is lost. */
function sendEvents(node: string): string[] {
  const own = eventsOf(node);
  const read = [`$JS.API.DIRECT.GET.${EVENTS_STREAM}.${own}`, `$JS.API.CONSUMER.CREATE.${EVENTS_STREAM}.*.${own}`];
  return [own, EVENTS_INFO, ...read, EVENTS_NEXT];
}

function entry(comment: string, nkey: string | undefined, { publish, subscribe, answers }: Permissions): string {
  if (nkey === undefined) return `      # ${comment}: no nkey in svcm.yaml; svcm nats key makes one`;
  const lines = [
    `      { # ${comment}`,
    `        nkey: ${nkey}`,
    "        permissions: {",
    `          publish: { allow: [${publish.map(quoted).join(", ")}] }`,
    `          subscribe: { allow: [${subscribe.map(quoted).join(", ")}] }`,
    ...(answers ? ['          allow_responses: { max: 1, expires: "1h" }'] : []),
    "        }",
    "      }",
  ];
  return lines.join("\n");
}

function quoted(subject: string): string {
  return JSON.stringify(subject);
}
