import type { InputOf } from "../api/inputs.ts";
import type { Issue } from "../api/issue.ts";
import type { Plan } from "../api/rollout.ts";
import { visibleKeys } from "../env/tiers.ts";
import type { CapabilityMatrix, RuntimeContract } from "../facts/schema.ts";
import { listOrNone } from "../pm2/control/known.ts";
import { refusalOf } from "../pm2/control/refusals.ts";
import { notFound } from "../pm2/control/target.ts";
import { declarationOf } from "../pm2/declaration.ts";
import { withheldIssues } from "../pm2/rules/file.ts";
import { readEcosystem, type EcosystemContent } from "../pm2/ecosystem-file.ts";
import { isOwn } from "../pm2/own.ts";
import type { ProcessRecord } from "../pm2/process-record.ts";
import type { Ports } from "../ports/index.ts";
import { ecosystemSpellings, spellingsOf } from "../project/environment.ts";
import { below, type PlaceRequest } from "../project/places.ts";
import { decide, withoutOwn, type Decision } from "./decide.ts";
import { expectedApps, type Expecting } from "./expected.ts";
import { filesNow } from "./files.ts";
import { planOf, type PlanContext } from "./plan.ts";
import { resultOf } from "./result.ts";
import { readRevision } from "./revision.ts";

interface Facts {
  readonly contract: RuntimeContract;
  readonly matrix: CapabilityMatrix;
}

/** A plan with what it was computed from. It holds values of declarations, so it never leaves the process. */
export interface Planned {
  readonly plan: Plan;
  readonly decision: Decision;
  readonly content: EcosystemContent;
  readonly expecting: Expecting;
  readonly running: readonly ProcessRecord[];
}

/**
 * Computes the steps from what PM2 runs to what an ecosystem file declares; with `from`, from what the file declares at
 * a revision. Changes nothing, and starts no daemon.
 *
 * @param known the file, if it was read before
 * @throws {SvcmError} PROCESS_NOT_FOUND for an unknown app, PM2_FAILED, REVISION_FAILED, and those of reading the file
 */
export async function planned(
  ports: Ports,
  { apps, from, ...place }: InputOf<"rollout.plan">,
  known?: EcosystemContent,
): Promise<Planned> {
  const [contract, matrix] = await Promise.all([ports.facts.runtimeContract(), ports.facts.capabilityMatrix()]);
  const content = known ?? (await readEcosystem(ports, { contract, matrix }, place));
  const before =
    from === undefined
      ? await pm2Before(ports, { contract, matrix }, content)
      : await revisionBefore(ports, { contract, matrix }, content, { ...place, revision: from });
  const { environment, fileName, path, loaded } = content;
  const { expecting, context } = before;
  const declared = loaded ? expectedApps(loaded, expecting) : [];
  const isAsked = selection(fileName, declared, apps);
  const expected = declared.filter(isAsked);
  const running = loaded ? before.running.filter(isAsked) : [];
  const names = expected.map(({ name }) => name);
  const facts = {
    expected,
    running,
    visibleKeys: new Set(visibleKeys(contract)),
    ...filesNow(ports, expected, running),
  };
  const git = await gitState(ports, content);
  const refused = refusedIn(content, names, expecting);
  const warnings = withheldIssues(loaded?.withheld ?? []);
  const { leftOut, ...decided } = withoutOwn(decide(facts), from === undefined ? ownApps(ports, running) : []);
  // Processes that one service does not declare belong to the other services, or to none.
  const decision = place.service === undefined ? decided : { ...decided, undeclared: [] };
  const subject = { environment, fileName, path, exists: loaded !== undefined, git };
  const about = { ...subject, refused, warnings, leftOut, ...context };
  return { plan: planOf(facts, decision, about), decision, content, expecting, running };
}

function ownApps({ processes }: Ports, running: readonly ProcessRecord[]): string[] {
  const us = processes.own();
  return running.filter((record) => isOwn(record, us)).map(({ name }) => name);
}

/** The state that a plan starts from. */
interface Before {
  readonly expecting: Expecting;
  readonly running: readonly ProcessRecord[];
  readonly context: Pick<PlanContext, "pm2" | "from" | "digest">;
}

async function pm2Before(ports: Ports, facts: Facts, content: EcosystemContent): Promise<Before> {
  const { list, digest } = await ports.processes.keyed();
  const running = await listOrNone({ list });
  const pm2 = { home: ports.workspace.pm2Home };
  return { expecting: expectingFor(ports, facts, content, digest), running, context: { pm2, digest } };
}

async function revisionBefore(
  ports: Ports,
  facts: Facts,
  content: EcosystemContent,
  { revision, ...place }: PlaceRequest & { readonly revision: string },
): Promise<Before> {
  const { commit, loaded } = await readRevision(ports, facts, place, revision);
  const expecting = expectingFor(ports, facts, content, (value) => ports.processes.digest(value));
  const running = loaded ? resultOf(expectedApps(loaded, expecting)) : [];
  return { expecting, running, context: { pm2: null, from: { revision, commit } } };
}

function expectingFor(
  { host, workspace }: Ports,
  { contract, matrix }: Facts,
  { name }: EcosystemContent,
  digest: Expecting["digest"],
): Expecting {
  const machine = { cpuCores: host.cpuCores(), pm2Home: workspace.pm2Home };
  return { machine, spellings: spellingsOf(ecosystemSpellings(contract, matrix), name), digest };
}

/** @throws {SvcmError} PROCESS_NOT_FOUND for an app that the file does not declare */
function selection(
  fileName: string,
  declared: readonly { readonly name: string }[],
  asked: readonly string[] | undefined,
): (one: { readonly name: string }) => boolean {
  if (asked === undefined || asked.length === 0) return () => true;
  const names = declared.map(({ name }) => name);
  const unknown = asked.find((name) => !names.includes(name));
  if (unknown !== undefined) throw notFound(`app of ${fileName} is called`, unknown, names);
  return ({ name }) => asked.includes(name);
}

async function gitState({ revisions, workspace }: Ports, { loaded }: EcosystemContent): Promise<Plan["git"]> {
  const envFiles = (loaded?.apps ?? []).flatMap(({ places }) => places.envFiles.map(({ path }) => path));
  const paths = [...new Set([...(loaded?.files ?? []), ...envFiles, below(workspace.root, "deployments.yaml")])];
  const state = await revisions.state(paths);
  const prefix = `${workspace.root}/`;
  return state === undefined
    ? null
    : { commit: state.commit, dirty: state.dirty.map((path) => path.replace(prefix, "")) };
}

function refusedIn(
  { loaded, path }: EcosystemContent,
  names: Iterable<string>,
  expecting: Expecting,
): Map<string, Issue> {
  return new Map(
    [...new Set(names)].flatMap((name): [string, Issue][] => {
      const error = loaded && refusalOf(declarationOf(loaded, name, expecting), path);
      if (error?.body.code === undefined) return [];
      const { code, details = error.message } = error.body;
      return [[name, { code, severity: "error", path: ["apps", name], message: details }]];
    }),
  );
}
