import { randomUUID } from "node:crypto";
import { RefusalLog, type Ports } from "../core/index.ts";
import { deliverEvents } from "./events/deliver.ts";
import { openLink } from "./link.ts";
import { redactServers } from "./link-refusals.ts";
import { serveNode } from "./node.ts";
import { startHeartbeat, createPresence } from "./presence.ts";
import { resolveNodeName, readFleetSettings } from "./settings.ts";

export interface FleetOptions {
  readonly ports: Ports;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly version: string;
  readonly url?: string | undefined;
  readonly name?: string | undefined;
  readonly log: FleetLog;
}

export interface FleetLog {
  info(facts: object, text: string): void;
  warn(facts: object, text: string): void;
  error(facts: object, text: string): void;
}

export interface RunningNode {
  readonly name: string;
  readonly servers: readonly string[];
  /** Announces that the node leaves, replies to running requests, then closes the connection. */
  close(): Promise<void>;
}

/** @throws {SvcmError} START_REFUSED, FLEET_FAILED */
export async function startNode(options: FleetOptions): Promise<RunningNode> {
  const { ports, env, version, log } = options;
  const settings = await readFleetSettings(ports, env, options.url);
  const name = resolveNodeName(env, settings.nats, options.name);
  const link = await openLink(settings, { kind: "node", name });
  const refusals = new RefusalLog(ports);
  const reporter = createReporter(log, name);
  const nats = async () => (await ports.facts.project())?.nats;
  const serving = serveNode({ node: name, version, ports, link, nats, refusals, onDefect: reporter.onDefect });
  link.onStatus(reporter.onStatus);
  const presence = await createPresence(ports, version, randomUUID());
  const { onAnnouncedAgain, onFailure, onChange } = reporter;
  const now = (): number => ports.clock.now();
  const heartbeat = await startHeartbeat({ link, node: name, presence, now, onAnnouncedAgain, onFailure });
  const delivery = deliverEvents({ node: name, ports, link, aheadMs: heartbeat.aheadMs, onChange });
  const servers = redactServers(settings.servers);
  log.info({ node: name, servers }, "node is in the fleet");
  return {
    name,
    servers,
    async close() {
      await delivery.stop();
      await heartbeat.stop();
      await serving.settled();
      await refusals.close();
      await link.close();
    },
  };
}

function createReporter(log: FleetLog, node: string) {
  return {
    onDefect: (error: unknown): void =>
      log.error({ node, stack: error instanceof Error ? error.stack : String(error) }, "request failed"),
    onStatus: (type: string): void => {
      if (type === "disconnect") log.warn({ node }, "the NATS server is unreachable");
      if (type === "reconnect") log.info({ node }, "connected to NATS again");
    },
    onAnnouncedAgain: (): void => log.info({ node }, "node is announced again"),
    onFailure: (error: unknown): void => log.warn({ node, reason: String(error) }, "the node could not be announced"),
    onChange: (error: unknown): void => {
      if (error === undefined) log.info({ node }, "events are sent again");
      else
        log.warn({ node, reason: error instanceof Error ? error.message : "" }, "events wait until they can be sent");
    },
  };
}
