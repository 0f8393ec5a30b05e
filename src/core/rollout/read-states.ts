import type { InputOf } from "../api/inputs.ts";
import { listOrNone } from "../pm2/control/known.ts";
import { readEcosystem, type EcosystemContent } from "../pm2/ecosystem-file.ts";
import type { ProcessRecord } from "../pm2/process-record.ts";
import type { Ports } from "../ports/index.ts";
import type { EnvironmentRequest } from "../project/resolve.ts";
import { expectedApps, type Expecting } from "./expected.ts";
import { gitState } from "./git-state.ts";
import type { PlanContext } from "./plan.ts";
import { resultOf } from "./result.ts";
import { readRevision } from "./revision.ts";

interface Before {
  readonly expecting: Expecting;
  readonly running: readonly ProcessRecord[];
  readonly context: Pick<PlanContext, "pm2" | "from" | "digest">;
}

interface States {
  readonly before: Before;
  readonly content: EcosystemContent;
  readonly git: ReturnType<typeof gitState>;
}

export async function readStates(
  ports: Ports,
  { environment, service, from }: InputOf<"rollout.plan">,
  known?: EcosystemContent | Promise<EcosystemContent>,
): Promise<States> {
  const place = { environment, service };
  // PM2 and Git respond while the file runs. If several fail, the file's failure is reported.
  const live = from === undefined ? begun(pm2Now(ports)) : undefined;
  const reading = known ?? readEcosystem(ports, place);
  const git = begun(gitState(ports, reading));
  const content = await reading;
  const before =
    live === undefined
      ? await revisionBefore(ports, content, { ...place, revision: from ?? "" })
      : pm2Before(ports, content, await live);
  return { before, content, git };
}

/** Its failure is handled where it is awaited. */
function begun<T>(work: Promise<T>): Promise<T> {
  work.catch(() => undefined);
  return work;
}

async function pm2Now({ processes }: Ports) {
  const { list, digest } = await processes.keyed();
  return { running: await listOrNone({ list }), digest };
}

function pm2Before(
  ports: Ports,
  content: EcosystemContent,
  { running, digest }: Awaited<ReturnType<typeof pm2Now>>,
): Before {
  const pm2 = { home: ports.workspace.pm2Home };
  return { expecting: expectingFor(ports, content, digest), running, context: { pm2, digest } };
}

async function revisionBefore(
  ports: Ports,
  content: EcosystemContent,
  { revision, ...place }: EnvironmentRequest & { readonly revision: string },
): Promise<Before> {
  const { commit, loaded } = await readRevision(ports, place, revision);
  const expecting = expectingFor(ports, content, (value) => ports.processes.digest(value));
  const running = loaded ? resultOf(expectedApps(loaded, expecting)) : [];
  return { expecting, running, context: { pm2: null, from: { revision, commit } } };
}

function expectingFor(
  { host, workspace }: Ports,
  { spellings }: EcosystemContent,
  digest: Expecting["digest"],
): Expecting {
  return { machine: { cpuCores: host.cpuCores(), pm2Home: workspace.pm2Home }, spellings, digest };
}
