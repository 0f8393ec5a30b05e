import type { InputOf } from "../api/inputs.ts";
import type { Issue } from "../api/issue.ts";
import type { Plan } from "../api/rollout.ts";
import { visibleKeys } from "../env/tiers.ts";
import { declarationRefusal } from "../pm2/control/refusals.ts";
import { notFound } from "../pm2/control/target.ts";
import { declarationOf } from "../pm2/declaration.ts";
import type { EcosystemContent } from "../pm2/ecosystem-file.ts";
import type { LoadedEcosystem } from "../pm2/loaded.ts";
import { isOwn, type ProcessRecord } from "../pm2/process-record.ts";
import { withheldIssues } from "../pm2/rules/file.ts";
import type { Ports } from "../ports/index.ts";
import { omitUndefined } from "../words/omit-undefined.ts";
import type { ComparisonInput } from "./compare.ts";
import { decide, withoutOwn, type Decision } from "./decide.ts";
import { expectedApps, type ExpectedApp, type Expecting } from "./expected.ts";
import { filesNow } from "./files.ts";
import { leftNow } from "./releases-now.ts";
import { planOf } from "./plan.ts";
import { readStates } from "./read-states.ts";
import type { Left } from "./release.ts";
import type { AppProbe } from "./settings/probe.ts";
import { readProbes, readSettings, servicesIn, type ServiceOf, type SettingsOf } from "./settings/read.ts";

/**
 * A plan and the data from which it was computed. It contains values of declarations, so it never leaves the process.
 */
export interface Planned extends Pick<RolloutContext, "settingsOf" | "serviceOf" | "probes" | "left"> {
  readonly plan: Plan;
  readonly decision: Decision;
  readonly content: EcosystemContent;
  readonly expecting: Expecting;
  readonly expected: readonly ExpectedApp[];
  readonly running: readonly ProcessRecord[];
  readonly envFiles: readonly string[];
}

/**
 * With `from`, the steps begin at what the file declares at that revision. Changes nothing and never starts a daemon.
 * @param known the file, if it was already read
 * @throws {SvcmError} PROCESS_NOT_FOUND for an unknown app, PM2_FAILED, REVISION_FAILED, and the errors of reading the
 * file
 */
export async function planned(
  ports: Ports,
  asked: InputOf<"rollout.plan">,
  known?: EcosystemContent | Promise<EcosystemContent>,
): Promise<Planned> {
  const { content, before, git } = await readStates(ports, asked, known);
  const { environment, name, fileName, path, loaded } = content;
  const { expecting } = before;
  const rollout = await rolloutContext(ports, loaded, expecting, asked.from === undefined);
  const declared = loaded ? expectedApps(loaded, expecting) : [];
  const isAsked = selection(fileName, declared, asked.apps);
  const expected = declared.filter(isAsked).map((app) => ({ ...app, probe: rollout.probes.get(app.name) }));
  const running = loaded ? before.running.filter(isAsked) : [];
  const input = {
    expected,
    running,
    visibleKeys: new Set(visibleKeys(content.contract)),
    left: rollout.left.apps,
    ...filesNow(ports, expected, running),
  };
  const { leftOut, ...decision } = decided(ports, { ...asked, environment: name }, input, rollout);
  const { service, apps, prune, preflight } = asked;
  const plan = planOf(input, decision, {
    environment,
    name,
    fileName,
    path,
    exists: loaded !== undefined,
    choices: omitUndefined({ service, apps, prune, preflight }),
    git: await git,
    refused: refusedIn(content, expected, expecting),
    warnings: withheldIssues(loaded?.withheld ?? []),
    leftOut,
    ...before.context,
  });
  const envFiles = [...new Set(expected.flatMap((app) => app.envFiles))];
  return { plan, decision, content, expecting, expected, running, envFiles, ...rollout };
}

function decided(
  ports: Ports,
  { environment, service, from, prune, preflight }: InputOf<"rollout.plan"> & { readonly environment: string },
  input: ComparisonInput,
  { left, settingsOf }: RolloutContext,
): ReturnType<typeof withoutOwn> {
  const names = input.expected.map(({ name }) => name);
  const decision = decide(input, {
    preflighted: new Set(names.filter((name) => preflight ?? settingsOf(name).preflight)),
    owned: ownedBy(left, environment, service),
    prune: prune === true,
    isDumpStale: isDumpStale(ports, left),
  });
  const { undeclared, ...rest } = withoutOwn(decision, from === undefined ? ownApps(ports, input.running) : []);
  // Other undeclared processes belong to other services, or to no service.
  return { ...rest, undeclared: undeclared.filter(({ owned }) => owned || service === undefined) };
}

interface RolloutContext {
  readonly settingsOf: SettingsOf;
  readonly serviceOf: ServiceOf;
  readonly left: Left;
  readonly probes: ReadonlyMap<string, AppProbe>;
}

async function rolloutContext(
  ports: Ports,
  loaded: LoadedEcosystem | undefined,
  { machine }: Expecting,
  hasProcesses: boolean,
): Promise<RolloutContext> {
  const serviceOf = servicesIn(loaded);
  const settingsOf = await readSettings(ports, serviceOf);
  const probes = loaded ? await readProbes(ports, loaded, machine, settingsOf) : new Map<string, AppProbe>();
  const left = hasProcesses ? await leftNow(ports) : { apps: {} };
  return { settingsOf, serviceOf, probes, left };
}

function ownedBy({ apps }: Left, environment: string, service: string | undefined): Set<string> {
  const own = Object.entries(apps).filter(
    ([, app]) => app.environment === environment && (service === undefined || app.service === service),
  );
  return new Set(own.map(([name]) => name));
}

/** A later save by the user counts. */
function isDumpStale({ stamps, workspace }: Ports, { unsavedAtMs }: Left): boolean {
  if (unsavedAtMs === undefined) return false;
  const [dump] = stamps.of([`${workspace.pm2Home}/dump.pm2`]);
  return (dump?.modifiedMs ?? 0) < unsavedAtMs;
}

function ownApps({ processes }: Ports, running: readonly ProcessRecord[]): string[] {
  const us = processes.own();
  return running.filter((record) => isOwn(record, us)).map(({ name }) => name);
}

function selection(
  fileName: string,
  declared: readonly { readonly name: string }[],
  asked: readonly string[] | undefined,
): (one: { readonly name: string }) => boolean {
  if (asked === undefined || asked.length === 0) return () => true;
  const names = declared.map(({ name }) => name);
  const unknown = asked.find((name) => !names.includes(name));
  if (unknown !== undefined) throw notFound(`app in ${fileName} is named`, unknown, names);
  return ({ name }) => asked.includes(name);
}

function refusedIn(
  { loaded, path }: EcosystemContent,
  expected: readonly ExpectedApp[],
  expecting: Expecting,
): Map<string, Issue> {
  return new Map(
    [...new Set(expected.map(({ name }) => name))].flatMap((name): [string, Issue][] => {
      const error = loaded && declarationRefusal(declarationOf(loaded, name, expecting), path);
      if (error?.body.code === undefined) return [];
      const { code, details = error.message } = error.body;
      return [[name, { code, severity: "error", path: ["apps", name], message: details }]];
    }),
  );
}
