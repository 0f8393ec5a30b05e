/** A fleet on this machine: a real NATS server with the permissions of `svcm nats config`, and nodes in separate folders. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { EventEmitter, once } from "node:events";
import { join } from "node:path";
import { connect, nkeyAuthenticator, type NatsConnection } from "@nats-io/transport-node";
import { onTestFinished } from "vitest";
import { nodePorts, type NatsProject, type Ports } from "../../src/core/index.ts";
import type { Role } from "../../src/core/api/rights.ts";
import { openFleet } from "../../src/fleet/open-fleet.ts";
import type { Fleet } from "../../src/fleet/fleet.ts";
import { natsConfigOf, createKey, startNode, type RunningNode } from "../../src/fleet/index.ts";
import { natsServer, type NatsServer } from "../support/nats-server.ts";
import { temporaryFolder, type WhenOver } from "../support/temporary-folder.ts";
import { GOOD_ENV } from "../support/workspace.ts";

export interface User {
  readonly role: Role;
  readonly environments?: readonly string[];
  readonly services?: readonly string[];
}

export interface TestFleet {
  readonly server: NatsServer;
  /** The ports of a machine's svcm. */
  ports(name: string, env?: Record<string, string>): Ports;
  /** Environment variables for a node or a user: server and credentials. */
  variables(name: string): Record<string, string>;
  root(name: string): string;
  start(
    name: string,
    options?: { readonly world?: (ports: Ports) => Ports; readonly version?: string; readonly url?: string },
  ): Promise<RunningNode & { readonly logged: (words: string) => Promise<void> }>;
  as(user: string): Promise<Fleet>;
}

const USERS: Readonly<Record<string, User>> = {
  vera: { role: "viewer" },
  otto: { role: "operator" },
  edda: { role: "editor" },
  stig: { role: "editor", environments: ["staging"] },
  dora: { role: "editor", environments: ["dev"] },
  adam: { role: "admin" },
};

export interface FleetOptions {
  readonly users?: Readonly<Record<string, User>>;
  readonly more?: string;
  readonly whenOver?: WhenOver;
  /** False for a server without `svcm nats setup`. */
  readonly isSetUp?: boolean;
  readonly events?: NatsProject["events"];
  readonly environments?: Readonly<Record<string, readonly string[]>>;
  readonly host?: string | undefined;
  /** Another program than a supported nats-server. */
  readonly program?: string | undefined;
  readonly replicas?: number | undefined;
  /** The accounts of the server, by the public key of a name, instead of those of `svcm nats config`. */
  readonly accounts?: (keyOf: (name: string) => string) => string;
  /** The ecosystem file for dev of each node, relative to the root. */
  readonly ecosystem?: string | undefined;
  /** Members of svcm.yaml instead of the environments of the test. */
  readonly declared?: object | undefined;
}

/** Nodes are `web-1`, `web-2` and `db-1`; users are vera, otto, edda, stig (of staging) and adam. */
export async function testFleet({
  users = USERS,
  more = "",
  whenOver = onTestFinished,
  events = {},
  environments = { dev: ["development"], staging: [] },
  ecosystem,
  declared,
  host,
  program,
  replicas,
  accounts,
  isSetUp = true,
}: FleetOptions = {}): Promise<TestFleet> {
  const folder = temporaryFolder(whenOver);
  const keys = Object.fromEntries([...Object.keys(users), ...NODES].map((name) => [name, createKey()]));
  const text = svcmYaml(users, keys, { events, environments, ecosystem, replicas, declared });
  const root = (name: string): string => {
    const path = join(folder, name);
    if (existsSync(path)) return path;
    mkdirSync(path, { recursive: true });
    writeFileSync(join(path, "svcm.yaml"), text);
    writeFileSync(join(path, ".env.dev"), GOOD_ENV);
    writeFileSync(join(path, ".env.staging"), GOOD_ENV);
    writeFileSync(join(path, "key.nk"), `${keys[name]?.seed}\n`, { mode: 0o600 });
    return path;
  };
  const portsOf = (name: string, env: Record<string, string> = {}): Ports =>
    nodePorts({ root: root(name), env: { PM2_HOME: join(folder, name, ".pm2"), ...env }, cwd: join(folder, name) });
  const server = await natsServer(
    accounts?.((name) => keys[name]?.publicKey ?? "") ?? (await natsConfigOf(portsOf("adam"))),
    more,
    whenOver,
    host,
    program,
  );
  const variables = (name: string): Record<string, string> => ({
    SVC_SERVICE_MANAGEMENT_NATS_URL: server.url,
    SVC_SERVICE_MANAGEMENT_NATS_CREDENTIALS: join(root(name), "key.nk"),
    SVC_SERVICE_MANAGEMENT_NODE: name,
  });
  if (isSetUp) {
    const admin = await openFleet(portsOf("adam"), variables("adam"));
    await admin.setUp();
    await admin.close();
  }
  return {
    server,
    ports: portsOf,
    variables,
    root,
    async start(name, { world = (own: Ports): Ports => own, version = "1.2.3", url } = {}) {
      const log: string[] = [];
      const received = new EventEmitter();
      const write = (_facts: object, words: string): void => {
        log.push(words);
        received.emit("line");
      };
      const logged = async (words: string): Promise<void> => {
        while (!log.includes(words)) await once(received, "line");
      };
      const ports = world(portsOf(name));
      const node = await startNode({
        ports,
        env: variables(name),
        url,
        version,
        log: { info: write, warn: write, error: write },
      });
      whenOver(async () => {
        await node.close();
        await ports.processes.close();
      });
      return { ...node, logged };
    },
    async as(user) {
      const fleet = await openFleet(portsOf(user), variables(user));
      whenOver(() => fleet.close());
      return fleet;
    },
  };
}

const NODES = ["web-1", "web-2", "db-1"];

function svcmYaml(
  users: Readonly<Record<string, User>>,
  keys: Readonly<Record<string, { publicKey: string }>>,
  {
    events,
    environments,
    ecosystem,
    replicas,
    declared = {
      environments,
      env: { dev: ".env.dev", staging: ".env.staging" },
      ...(ecosystem !== undefined && { ecosystem: { dev: ecosystem } }),
    },
  }: Pick<FleetOptions, "events" | "environments" | "ecosystem" | "replicas" | "declared">,
): string {
  return JSON.stringify({
    version: 1,
    ...declared,
    nats: {
      url: "nats://127.0.0.1:4222",
      events,
      ...(replicas !== undefined && { replicas }),
      users: Object.fromEntries(
        Object.entries(users).map(([name, user]) => [name, { ...user, nkey: keys[name]?.publicKey }]),
      ),
      nodes: Object.fromEntries(
        NODES.map((name) => [name, { nkey: keys[name]?.publicKey, labels: { role: name.split("-")[0] } }]),
      ),
    },
  });
}

/** A connection with the key of a user or a node, for messages that svcm would not send. */
export async function rawConnection(fleet: TestFleet, name: string): Promise<NatsConnection> {
  const seed = readFileSync(join(fleet.root(name), "key.nk"), "utf8").trim();
  const authenticator = nkeyAuthenticator(new TextEncoder().encode(seed));
  const connection = await connect({ servers: fleet.server.url, authenticator });
  onTestFinished(() => connection.close());
  return connection;
}

export const frameworkOf = (fleet: TestFleet, node = "web-1"): string | undefined =>
  /^SVC_HTTP_FRAMEWORK=(.*)$/m.exec(readFileSync(join(fleet.root(node), ".env.dev"), "utf8"))?.[1];

/** The record of a rollout that holds the lock of dev. */
export function rolloutText(more: Readonly<Record<string, unknown>>): string {
  const nodes = [{ node: "web-1", plan: "p1", state: "waiting" }];
  return JSON.stringify({
    id: "r1",
    environment: "dev",
    holder: null,
    startedAt: "2026-01-01T00:00:00.000Z",
    direction: "apply",
    outcome: null,
    maxParallel: 1,
    choices: { environment: "dev" },
    steps: 0,
    nodes,
    ...more,
  });
}
