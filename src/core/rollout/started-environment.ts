import type { HasFacts, HasWorkspace } from "../project/port-repository.ts";
import { environmentsWithEcosystem } from "../pm2/ecosystem-environments.ts";
import { readEcosystem } from "../pm2/ecosystem-file.ts";
import type { HasEcosystems } from "../pm2/port-ecosystems.ts";
import type { ProcessRecord } from "../pm2/process-record.ts";
import { ownMember } from "../words/record.ts";
import { environmentsAt, expectedApps, type ExpectContext, type ExpectedApp } from "./expected.ts";
import type { AppliedState } from "./release.ts";

interface StartedRequest {
  readonly environment: string;
  readonly service?: string | undefined;
  /** The apps as the requested environment declares them. */
  readonly expected: readonly ExpectedApp[];
  readonly running: readonly ProcessRecord[];
  readonly appliedApps: AppliedState["apps"];
  readonly expecting: Omit<ExpectContext, "spellings">;
}

/**
 * PM2 does not record the `--env` of a start, so the values of the process are the witness: another environment declares
 * all of them, and the requested one does not. The other files are only run if a process differs.
 */
export async function findStartedEnvironments(
  ports: HasEcosystems & HasFacts & HasWorkspace,
  { environment, service, expected, running, appliedApps, expecting }: StartedRequest,
): Promise<ReadonlyMap<string, string>> {
  const differing = expected.flatMap((app) => {
    const processes = running.filter((record) => record.name === app.name && !isOfApply(record, appliedApps));
    return processes.length > 0 && !processes.every((record, index) => isAsDeclared(app, record, index))
      ? [{ app, processes }]
      : [];
  });
  const found = new Map<string, string>();
  if (differing.length === 0) return found;
  for (const other of await environmentsWithEcosystem(ports)) {
    if (other === environment) continue;
    const content = await readEcosystem(ports, { environment: other, service }).catch(() => undefined);
    if (content?.loaded === undefined) continue;
    const apps = expectedApps(content.loaded, { ...expecting, spellings: content.spellings });
    for (const { app, processes } of differing) {
      const candidate = apps.find(({ name }) => name === app.name);
      if (candidate === undefined || found.has(app.name)) continue;
      if (processes.every((record, index) => isStartedAs(candidate, app, record, index))) found.set(app.name, other);
    }
  }
  return found;
}

/** The record of the apply names its environment. */
function isOfApply({ name, uniqueId }: ProcessRecord, appliedApps: AppliedState["apps"]): boolean {
  const processes = ownMember(appliedApps, name)?.processes;
  return uniqueId !== null && processes?.includes(uniqueId) === true;
}

function isAsDeclared(app: ExpectedApp, record: ProcessRecord, position: number): boolean {
  return factsOf(app, position).some((facts) => isMatch(facts, record));
}

/** At least one thing must come from there and not from the requested environment. */
function isStartedAs(candidate: ExpectedApp, requested: ExpectedApp, record: ProcessRecord, position: number): boolean {
  const wanted = factsOf(requested, position).map((facts) => new Map(facts));
  return factsOf(candidate, position)
    .filter((facts) => isMatch(facts, record))
    .some((facts) => wanted.every((one) => facts.some(([key, value]) => value !== "" && one.get(key) !== value)));
}

/** Texts are digests; an empty one accepts any value. */
type Fact = readonly [key: string, value: string];

function factsOf(app: ExpectedApp, position: number): Fact[][] {
  return environmentsAt(app, position).map((variables) => [
    ["script", app.script],
    ["args", app.argsDigest],
    ...Object.entries(variables).map(([key, value]): Fact => [`env ${key}`, value]),
  ]);
}

function isMatch(facts: readonly Fact[], record: ProcessRecord): boolean {
  return facts.every(([key, value]) => value === "" || runningFact(record, key) === value);
}

function runningFact({ script, declaration }: ProcessRecord, key: string): string | undefined {
  if (key === "script") return script ?? undefined;
  if (key === "args") return declaration.argsDigest;
  return ownMember(declaration.environment, key.slice("env ".length));
}
