import { randomUUID } from "node:crypto";
import { RefusalLog, SvcmError, type Ports } from "../core/index.ts";
import { deliverEvents } from "./events/deliver.ts";
import { openLink, type FleetLink } from "./link.ts";
import { redactServers } from "./link-api.ts";
import { serveNode, type Serving } from "./node.ts";
import { startHeartbeat } from "./heartbeat.ts";
import { createPresence } from "./fleet.ts";
import { openRolloutStore } from "./rollout/store.ts";
import { resolveNodeName, readFleetSettings, resolveStreams, type FleetSettings } from "./settings.ts";

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
  const { ports, env } = options;
  const settings = await readFleetSettings(ports, env, options.url);
  const name = resolveNodeName(env, settings.nats, options.name);
  const link = await openLink(settings, { kind: "node", name });
  try {
    return await serveOver(options, { settings, name, link });
  } catch (error) {
    await link.close();
    throw error;
  }
}

interface Joining {
  readonly settings: FleetSettings;
  readonly name: string;
  readonly link: FleetLink;
}

async function serveOver(
  { ports, version, log }: FleetOptions,
  { settings, name, link }: Joining,
): Promise<RunningNode> {
  const refusals = new RefusalLog(ports);
  const reporter = createReporter(log, name);
  const { onAnnouncedAgain, onFailure, onChange, onDefect } = reporter;
  await link.requireSafe(resolveStreams(settings)).catch(unlessUnsafe(onFailure));
  const nats = async () => (await ports.facts.project())?.nats;
  const rollouts = openRolloutStore({ records: link.rollouts, nats, services: settings.services, user: "" });
  link.onStatus(reporter.onStatus);
  const presence = await createPresence(ports, version, randomUUID());
  let serving: Serving | undefined;
  const heartbeat = await startHeartbeat({
    link,
    node: name,
    presence,
    clock: ports.clock,
    onAnnouncedAgain,
    onFailure,
    onDisplaced(host) {
      if (serving === undefined) return;
      reporter.onDisplaced(host);
      if (host === undefined) serving.resume();
      else serving.pause();
    },
  });
  serving = serveNode({ node: name, version, ports, link, rollouts, nats, refusals, onDefect });
  const delivery = deliverEvents({ node: name, ports, link, aheadMs: heartbeat.aheadMs, onChange });
  await link.flush();
  const servers = redactServers(settings.servers);
  log.info({ node: name, servers }, "node is in the fleet");
  return {
    name,
    servers,
    async close() {
      await delivery.stop();
      await heartbeat.stop();
      await serving.close();
      await refusals.close();
      await link.close();
    },
  };
}

/** A server that is still starting says nothing about its streams. */
function unlessUnsafe(onFailure: (error: unknown) => void): (error: unknown) => void {
  return (error) => {
    if (error instanceof SvcmError && error.body.code === "NATS_SETTINGS") throw error;
    onFailure(error);
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
    onDisplaced: (host: string | undefined): void => {
      if (host === undefined) log.info({ node }, "the name of the node is free again");
      else log.error({ node, host }, "another svcm has the name of this node, so this one answers no requests");
    },
    onFailure: (error: unknown): void => log.warn({ node, reason: String(error) }, "the node could not be announced"),
    onChange: (error: unknown): void => {
      if (error === undefined) log.info({ node }, "events are sent again");
      else
        log.warn({ node, reason: error instanceof Error ? error.message : "" }, "events wait until they can be sent");
    },
  };
}
