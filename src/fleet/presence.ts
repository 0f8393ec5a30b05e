import * as z from "zod/mini";
import { identifyProcess, isRunning, type Ports } from "../core/index.ts";

/** Readers validate entries, because a server without permissions lets any client write. */
const presenceSchema = z.object({
  instance: z.string().check(z.maxLength(64)),
  svcm: z.string().check(z.maxLength(64)),
  nodejs: z.string().check(z.maxLength(64)),
  pm2: z.nullable(z.string().check(z.maxLength(64))),
  environments: z.array(z.string().check(z.maxLength(80))).check(z.maxLength(50)),
  services: z.array(z.string().check(z.maxLength(200))).check(z.maxLength(200)),
  startedAt: z.iso.datetime(),
  /** So that the same machine takes its name back at once after a crash. */
  run: z.optional(
    z.object({
      host: z.string().check(z.maxLength(255)),
      /** A digest: only within the same one do equal pids mean the same process. */
      place: z.string().check(z.maxLength(64)),
      pid: z.int(),
      startTime: z.nullable(z.string().check(z.maxLength(40))),
    }),
  ),
  /** The host of another svcm that wants the name, which has written this itself. */
  rival: z.optional(z.string().check(z.maxLength(255))),
  /** The node has left in an orderly way. */
  left: z.optional(z.literal(true)),
});

export type Presence = z.infer<typeof presenceSchema>;

export async function createPresence(ports: Ports, version: string, instance: string): Promise<Presence> {
  const { facts, installation, clock } = ports;
  const [project, contract, run] = await Promise.all([facts.project(), facts.runtimeContract(), describeRun(ports)]);
  return {
    instance,
    svcm: version,
    nodejs: installation.node,
    pm2: installation.pm2Version,
    environments: Object.keys(contract.environments),
    services: Object.keys(project?.services ?? {}).filter((name) => name !== ""),
    startedAt: new Date(clock.now()).toISOString(),
    run,
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

async function describeRun({ host, workspace }: Ports): Promise<NonNullable<Presence["run"]>> {
  const { pid, startTime, bootId, pidNamespace } = await identifyProcess();
  const place = new TextEncoder().encode([bootId, pidNamespace, host.name(), workspace.root].join("\0"));
  return { host: host.name(), place: host.digest(place), pid, startTime };
}

/** True if the process that wrote it was of this machine and root, and has ended. */
export async function isOwnEnded({ run: other }: Presence, { run: own }: Presence): Promise<boolean> {
  if (other === undefined || own === undefined || other.place !== own.place) return false;
  const self = await identifyProcess();
  return !(await isRunning({ ...self, pid: other.pid, startTime: other.startTime }, self));
}
