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

export async function presenceOf(ports: Ports, version: string, instance: string): Promise<Presence> {
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

interface Beating {
  readonly link: FleetLink;
  readonly node: string;
  readonly presence: Presence;
  readonly now: () => number;
  readonly onAnnouncedAgain: () => void;
  readonly onFailure: (error: unknown) => void;
}

interface Keeping {
  /** Milliseconds by which this clock was ahead of the server's when last measured. */
  readonly aheadMs: () => Promise<number>;
  readonly stop: () => Promise<void>;
}

/** After a slower reply, the time of the server is too uncertain. */
const QUICK_MS = 1_000;

/** After a failure, the next heartbeat tries again. */
export async function keepPresent(beating: Beating): Promise<Keeping> {
  const { link, node, presence, now, onAnnouncedAgain, onFailure } = beating;
  let beat: Promise<boolean> = Promise.resolve(true);
  const announce = async (): Promise<boolean> => {
    try {
      await link.nodes.keep(node, JSON.stringify(presence));
      return true;
    } catch (error) {
      onFailure(error);
      return false;
    }
  };
  await (beat = announce());
  const timer = setInterval(() => void (beat = announce()), HEARTBEAT_MS);
  // A restarted server may have lost the key.
  link.onStatus((type) => {
    if (type !== "reconnect") return;
    beat = announce();
    void beat.then((isDone) => isDone && onAnnouncedAgain());
  });
  let ahead: number | undefined;
  return {
    aheadMs: async () => {
      const before = now();
      await link.nodes.keep(node, JSON.stringify(presence));
      const after = now();
      const writtenMs = await link.nodes.keptMs(node);
      const isQuick = after >= before && after - before < QUICK_MS;
      if (writtenMs !== undefined && (isQuick || ahead === undefined))
        ahead = Math.round((before + after) / 2 - writtenMs);
      return ahead ?? 0;
    },
    stop: async () => {
      clearInterval(timer);
      await beat;
      await link.nodes.forget(node).catch(onFailure);
    },
  };
}
