import * as z from "zod/mini";
import type { Ports } from "../core/index.ts";
import type { FleetLink } from "./link.ts";

/** Readers validate entries, because a server without permissions lets any client write. */
const presenceSchema = z.object({
  instance: z.string().check(z.maxLength(64)),
  svcm: z.string().check(z.maxLength(64)),
  nodejs: z.string().check(z.maxLength(64)),
  pm2: z.nullable(z.string().check(z.maxLength(64))),
  environments: z.array(z.string().check(z.maxLength(80))).check(z.maxLength(50)),
  services: z.array(z.string().check(z.maxLength(200))).check(z.maxLength(200)),
  startedAt: z.iso.datetime(),
});

export type Presence = z.infer<typeof presenceSchema>;

/** Not shorter, because an idle node should cost nothing. */
export const HEARTBEAT_MS = 10_000;

export async function createPresence(ports: Ports, version: string, instance: string): Promise<Presence> {
  const { facts, installation, clock } = ports;
  const [project, contract] = await Promise.all([facts.project(), facts.runtimeContract()]);
  return {
    instance,
    svcm: version,
    nodejs: installation.node,
    pm2: installation.pm2Version,
    environments: Object.keys(contract.environments),
    services: Object.keys(project?.services ?? {}).filter((name) => name !== ""),
    startedAt: new Date(clock.now()).toISOString(),
  };
}

/** @returns `undefined` if no node of svcm wrote the text */
export function readPresence(text: string): Presence | undefined {
  try {
    return presenceSchema.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}

interface HeartbeatOptions {
  readonly link: FleetLink;
  readonly node: string;
  readonly presence: Presence;
  readonly now: () => number;
  readonly onAnnouncedAgain: () => void;
  readonly onFailure: (error: unknown) => void;
}

interface Heartbeat {
  /** Milliseconds by which this clock was ahead of the server's when last measured. */
  readonly aheadMs: () => Promise<number>;
  readonly stop: () => Promise<void>;
}

/** After a slower reply, the time of the server is too uncertain. */
const MAX_ROUND_TRIP_MS = 1_000;

/** After a failure, the next heartbeat tries again. */
export async function startHeartbeat(options: HeartbeatOptions): Promise<Heartbeat> {
  const { link, node, presence, now, onAnnouncedAgain, onFailure } = options;
  let announcement: Promise<boolean> = Promise.resolve(true);
  const announce = async (): Promise<boolean> => {
    try {
      await link.nodes.put(node, JSON.stringify(presence));
      return true;
    } catch (error) {
      onFailure(error);
      return false;
    }
  };
  await (announcement = announce());
  const timer = setInterval(() => void (announcement = announce()), HEARTBEAT_MS);
  // A restarted server may have lost the key.
  link.onStatus((type) => {
    if (type !== "reconnect") return;
    announcement = announce();
    void announcement.then((isDone) => isDone && onAnnouncedAgain());
  });
  let ahead: number | undefined;
  return {
    aheadMs: async () => {
      const before = now();
      await link.nodes.put(node, JSON.stringify(presence));
      const after = now();
      const storedMs = await link.nodes.readStoredMs(node);
      const isQuick = after >= before && after - before < MAX_ROUND_TRIP_MS;
      if (storedMs !== undefined && (isQuick || ahead === undefined))
        ahead = Math.round((before + after) / 2 - storedMs);
      return ahead ?? 0;
    },
    stop: async () => {
      clearInterval(timer);
      await announcement;
      await link.nodes.remove(node).catch(onFailure);
    },
  };
}
