import { errorTable, SvcmError, type ErrorKind } from "../api/errors.ts";
import type { Release } from "../api/rollout.ts";
import { CHANGED_LATER, OTHER_APPS_CHANGED, othersHint } from "../rollout/apply/failure.ts";
import { listReleases } from "../rollout/ports.ts";
import { type DeployContext, note } from "./deploy-context.ts";
import type { FoundCommit } from "./find-commit.ts";
import { deployCommand, type DeployRecord, type DeployOutcome } from "./record.ts";
import type { DeployPlan } from "../api/deploy.ts";
import { nameList } from "../words/text.ts";
import type { DeployGit } from "./port-deploy-git.ts";

/** @throws {SvcmError} DEPLOY_REFUSED with DEPLOY_TRIED */
export async function requireUntried({ root, ports }: DeployContext, found: FoundCommit): Promise<void> {
  const { commit } = found;
  const record = (await root.records()).find((one) => one.commit === commit);
  if (record === undefined) return;
  const isCurrent = record.id === (await root.current());
  const why = whyTried(record, await listReleases(ports.releases), isCurrent);
  if (why === undefined) return;
  throw new SvcmError("DEPLOY_REFUSED", {
    code: "DEPLOY_TRIED",
    details: `${commit.slice(0, 7)} "${record.subject}" ${why}, so it is left alone. Nothing was changed.${reasonThen(record)}`,
    hint: `Push another commit. To try this one again: ${deployCommand(found)}`,
  });
}

/** Without a release, no process was touched, and the next attempt may find another world. */
export function whyTried(
  { state, release }: Pick<DeployRecord, "state" | "release">,
  releases: readonly Pick<Release, "undoes" | "outcome">[],
  isCurrent: boolean,
): string | undefined {
  if (release === null) return undefined;
  const [newest] = releases;
  // Such a rollback has not moved current yet.
  if (newest?.undoes === release && newest.outcome === "half") return "is being rolled back here, which was cut off";
  if (isCurrent) return undefined;
  if (state === "failed" || state === "reverted" || state === "half") return "failed here";
  const isUndone = releases.some(({ undoes, outcome }) => undoes === release && outcome === "applied");
  return isUndone ? "was rolled back here" : undefined;
}

function reasonThen({ reason }: Pick<DeployRecord, "reason">): string {
  return reason === null ? "" : `\nThe reason then: ${reason}`;
}

/** The processes were changed, so not everything runs as before. */
export function unswitched(error: unknown, record: DeployRecord): unknown {
  if (!(error instanceof SvcmError)) return error;
  return new SvcmError("APPLY_HALF", {
    ...error.body,
    details: `The apps run ${record.commit.slice(0, 7)}, but current was not switched: ${error.message}`,
    hint: `Correct that, then: ${deployCommand(record)}`,
  });
}

/**
 * An apply in the checkout would leave the releases, and a plan compares with the release of `current`.
 * @param command as {@link deployCommand}
 */
export function asDeploy({ kind, body }: SvcmError, command: string): SvcmError {
  const hint = body.hint
    ?.replaceAll("svcm apply", "svcm deploy")
    .replace("new plan: svcm plan", `new plan: ${command} --dry-run`);
  return new SvcmError(kind, { ...body, ...(hint !== undefined && { hint }) });
}

/** Files of the current release that are not as they were prepared. A command of the new one may write there. */
export interface CurrentChanges {
  readonly before: readonly string[];
  readonly meanwhile: readonly string[];
}

export function meanwhileText({ meanwhile }: CurrentChanges): string {
  return `Files of the release that runs changed while the new one was prepared: ${nameList(meanwhile, MAX_NAMED)}.`;
}

/** The exit code says that everything runs as before. */
export function untouched(error: unknown, changes: CurrentChanges = { before: [], meanwhile: [] }): unknown {
  if (!(error instanceof SvcmError)) return error;
  const { before, meanwhile } = changes;
  const told = [
    ...(before.length === 0 ? [] : [`The release that runs had changes already: ${nameList(before, MAX_NAMED)}.`]),
    ...(meanwhile.length === 0 ? [] : [meanwhileText(changes)]),
  ];
  const last = [...told, `Nothing${told.length === 0 ? "" : " else"} that runs was touched.`].join(" ");
  const details = `${error.body.details ?? error.message}\n${last}`;
  return new SvcmError(isOfMachine(error) ? "DEPLOY_IMPOSSIBLE" : "DEPLOY_FAILED", { ...error.body, details });
}

const MAX_NAMED = 5;

export function beforeFirstStep(error: SvcmError): unknown {
  return isOfMachine(error) ? untouched(error) : error;
}

/** Files of the release have codes of the system only if the system refuses them. */
function isOfMachine({ kind, body: { code } }: SvcmError): boolean {
  return MACHINE_KINDS.has(kind) || (errorTable[kind].status >= 500 && /^E[A-Z0-9]+$/.test(code ?? ""));
}

const MACHINE_KINDS: ReadonlySet<ErrorKind> = new Set([
  "DEPLOY_IMPOSSIBLE",
  "PM2_FAILED",
  "REVISION_FAILED",
  "AUDIT_FAILED",
]);

/** Its apps run the release, and a plan compares with another one. */
export function afterSteps(error: SvcmError, former: string | null): SvcmError {
  if (error.body.code !== CHANGED_LATER) return error;
  const link = former === null ? "There is no current yet, so" : `current stays at ${former}, with which`;
  const what = `${link} svcm plan and svcm apply compare${former === null ? " with the checkout" : ""}.`;
  return new SvcmError(error.kind, { ...error.body, details: `${error.body.details ?? error.message}\n${what}` });
}

/** Every step of the deploy is done, so its apps run the release. */
export function isWithoutOthers(error: unknown): error is SvcmError {
  return error instanceof SvcmError && error.body.code === OTHER_APPS_CHANGED;
}

/** A plan compares with `current`, which stays until all services run the release. */
export function withoutOthers(
  error: SvcmError,
  record: Parameters<typeof deployCommand>[0],
  service: string | undefined,
): SvcmError {
  const hint = othersHint(error.body.failure?.app ?? "", `To start it: ${deployCommand(record, service)}`);
  return new SvcmError(error.kind, { ...error.body, hint });
}

export function outcomeOf(error: SvcmError): DeployOutcome {
  const { kind } = error;
  if (isWithoutOthers(error)) return "done";
  return kind === "APPLY_HALF" ? "half" : kind === "APPLY_REVERTED" ? "reverted" : "failed";
}

interface ForeignLayout {
  readonly tool: "Capistrano" | "pm2 deploy";
  readonly root: string;
}

/** @param checkout a release of Capistrano, or `source` of `pm2 deploy`, without links */
export async function findForeignLayout(
  checkout: string,
  exists: (path: string) => Promise<boolean>,
): Promise<ForeignLayout | undefined> {
  const [, release, source] = /^(.+)\/releases\/\d{14}$|^(.+)\/source$/.exec(checkout) ?? [];
  const root = release ?? source ?? "";
  if (root === "" || !(await exists(`${root}/current`)) || !(await exists(`${root}/shared`))) return undefined;
  return { tool: release === undefined ? "pm2 deploy" : "Capistrano", root };
}

/** svcm uses it as it is: it adds releases beside the others, and removes only its own. */
export async function noteForeignLayout(context: DeployContext): Promise<void> {
  const { root, ports } = context;
  const found = await findForeignLayout(root.realPath(ports.workspace.root), (path) => root.exists(path));
  if (found === undefined) return;
  const isUsed = root.layout.root === found.root;
  const how = isUsed ? "It is used as it is." : `To use it as it is, set deploy.root to ${found.root} in svcm.yaml.`;
  note(context, `${found.root} has the layout of ${found.tool}. ${how}`);
}

/** A release file has no commits, and Git may have lost the former one. */
export async function compareCommits(git: DeployGit, from: string, to: string): Promise<DeployPlan["commits"]> {
  try {
    return { added: await git.listBetween(from, to), removed: await git.listBetween(to, from) };
  } catch (error) {
    if (error instanceof SvcmError) return null;
    throw error;
  }
}

export async function formerCommit({ root }: DeployContext, former: string | null): Promise<string | null> {
  if (former === null) return (await root.foreign())?.commit ?? null;
  return (await root.records()).find(({ id }) => id === former)?.commit ?? null;
}
