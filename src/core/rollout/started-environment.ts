import type { HasFacts, HasWorkspace } from "../project/port-repository.ts";
import { environmentsWithEcosystem } from "../pm2/declared.ts";
import { readEcosystem } from "../pm2/ecosystem-file.ts";
import type { HasEcosystems } from "../pm2/ports.ts";
import type { ProcessRecord } from "../pm2/process-record.ts";
import { groupBy, ownMember } from "../words/record.ts";
import { environmentsAt, expectedApps, type ExpectContext, type ExpectedApp } from "./expected.ts";
import { SvcmError } from "../api/errors.ts";
import type { AppliedState, ReleaseHead } from "./release.ts";
import type { HasStamps } from "../files/ports.ts";
import { checkoutOf, isSamePlace } from "../project/state-place.ts";
import { isBelow } from "../running/code-files.ts";
import { nameList, shellQuote } from "../words/text.ts";
import type { Issue } from "../api/issue.ts";
import type { HasProcesses } from "../pm2/port-processes.ts";
import type { PlanContext } from "./plan.ts";

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

type DeclaredApp = Pick<ExpectedApp, "name" | "script" | "cwd">;
type RunningApp = Pick<ProcessRecord, "name" | "script" | "cwd">;
type Conflict = PlanContext["conflicts"][number] & { readonly folder: string };

/**
 * Finds processes that run from another checkout on this machine: a step would put the code or the values of this one
 * in their place, or delete them. Releases beside each other are one checkout.
 * @param deployRoots those from which svcm has deployed this repository
 */
export function findOtherCheckouts(
  ports: HasStamps & HasWorkspace,
  expected: readonly DeclaredApp[],
  running: readonly RunningApp[],
  deployRoots: readonly string[] = [],
): Conflict[] {
  const { root, checkout } = ports.workspace;
  const lookup = createLookup(ports);
  const isReleased = (folder: string): boolean => deployRoots.some((one) => isBelow(folder, `${one}/releases`));
  // A deploy continues those of its former root.
  const foreignOf: typeof lookup = (path) => {
    const found = lookup(path);
    return checkout !== undefined && typeof found === "string" && isReleased(found) ? false : found;
  };
  const found = running.flatMap((record) => {
    const declared = expected.find(({ name }) => name === record.name);
    if (declared?.script === record.script && declared.cwd === record.cwd) return [];
    // The script of a wrapper, such as npm, is in no checkout.
    const isScript = foreignOf((declared ?? record).script) !== undefined;
    const folder = foreignOf(isScript ? record.script : record.cwd);
    return typeof folder === "string" ? [{ name: record.name, folder }] : [];
  });
  return [...groupBy(found, ({ folder }) => folder)].map(([folder, apps]) =>
    toConflict(root, { folder, isReleased: isReleased(folder) }, [...new Set(apps.map(({ name }) => name))]),
  );
}

/**
 * Clones of a repository have one list of releases below PM2_HOME.
 * @throws {SvcmError} APPLY_REFUSED with the code CHECKOUT_SWITCH
 */
export function requireOwnRelease(
  ports: HasStamps & HasWorkspace,
  release: Pick<ReleaseHead, "id" | "root">,
  touched: readonly RunningApp[],
  deployRoots: readonly string[],
): void {
  const { root, checkout = root } = ports.workspace;
  if (release.root === undefined || isSamePlace(ports.stamps, release.root, checkout)) return;
  const [other] = findOtherCheckouts(ports, [], touched, deployRoots);
  if (other === undefined) return;
  const { apps } = other;
  throw new SvcmError("APPLY_REFUSED", {
    code: "CHECKOUT_SWITCH",
    path: release.root,
    details: `The checkout ${release.root} made the release ${release.id}, and ${nameList(apps)} ${apps.length === 1 ? "runs" : "run"} from there; this one is ${checkout}. No process was touched.`,
    hint: `To undo it: cd ${shellQuote(release.root)} && svcm rollback ${release.id}. To undo another one: svcm releases, then svcm rollback with its id`,
  });
}

/** Warns of a start that would run an app a second time, for example beside the PM2 of root after `sudo pm2 start`. */
export function findForeignRuns(
  { processes, workspace }: HasProcesses & HasWorkspace,
  expected: readonly DeclaredApp[],
  started: ReadonlySet<string>,
): Issue[] {
  const { root, checkout = root } = workspace;
  const apps = expected.filter(
    // The script of a wrapper, such as npm, says nothing about the app.
    ({ name, script }) => started.has(name) && [root, checkout].some((folder) => isBelow(script, folder)),
  );
  const runs = groupBy(processes.runsElsewhere(apps.map(({ script }) => script)), ({ script }) => script);
  return apps.flatMap(({ name, script }): Issue[] => {
    const [run] = runs.get(script) ?? [];
    if (run === undefined) return [];
    const message = `${name}: the PM2 of ${run.user} with PM2_HOME ${run.home} already runs ${script} (pid ${run.pid}), so it would run twice`;
    return [{ code: "APP_RUNS_ELSEWHERE", severity: "warning", path: ["apps", name], message }];
  });
}

/** Returns the other checkout that holds the path, `false` for a path of this one, and `undefined` for one of none. */
function createLookup({
  stamps,
  workspace,
}: HasStamps & HasWorkspace): (path: string | null) => string | false | undefined {
  const { root, checkout = root } = workspace;
  const folders = [root, checkout];
  const own = folders.map((folder) => checkoutOf(stamps, folder) ?? folder);
  return (path) => {
    if (path === null) return undefined;
    if (folders.some((folder) => path === folder || isBelow(path, folder))) return false;
    const found = checkoutOf(stamps, path);
    return found !== undefined && own.some((folder) => isSamePlace(stamps, folder, found)) ? false : found;
  };
}

interface OtherFolder {
  readonly folder: string;
  /** Below a deploy root of this repository: of svcm or of another tool, and not the current one of svcm. */
  readonly isReleased: boolean;
}

function toConflict(root: string, { folder, isReleased }: OtherFolder, apps: readonly string[]): Conflict {
  const names = apps.join(", ");
  const message = isReleased
    ? `PM2 has ${names} from the release ${folder}, and a plan of the checkout ${root} would replace it. To release this code: svcm deploy. To run it in the checkout: svcm apply --switch-checkout.`
    : `PM2 has ${names} from the checkout ${folder}, and this one is ${root}. To plan for that one: cd ${shellQuote(folder)} && svcm plan. To take over: --switch-checkout of svcm apply or svcm deploy.`;
  const path = ["apps", ...apps.slice(0, 1)];
  return { apps, folder, issue: { code: "CHECKOUT_SWITCH", severity: "error", path, message } };
}
