import { SvcmError } from "../api/errors.ts";
import type { InputOf } from "../api/inputs.ts";
import { resolvePath } from "../project/resolve.ts";
import type { DeployContext } from "./deploy-context.ts";
import { chooseSource, findCommit, folderOnly, type FoundCommit } from "./find-commit.ts";
import type { DeployCode } from "./port-deploys.ts";
import { isPrepared, type DeployRecord } from "./record.ts";

export interface NewRelease extends DeployCode {
  readonly records: readonly DeployRecord[];
}

/** Fetches a commit, or reads a release file. @throws {SvcmError} DEPLOY_FAILED, NOT_FOUND */
export async function findCode(
  { ports, caller, settings, deploys, root }: DeployContext,
  { revision, from }: Pick<InputOf<"deploy.plan">, "revision" | "from">,
): Promise<DeployCode> {
  if (from !== undefined) {
    caller.say?.(`read: ${from}`);
    return await deploys.releaseFile(resolvePath(ports.workspace.root, from), root.layout);
  }
  const git = deploys.git(root.layout.repository);
  const checkout = await git.readCheckout().catch((error: unknown) => {
    if (settings.source === undefined) throw withoutCheckout(error);
    return folderOnly(root.realPath(ports.workspace.root));
  });
  const source = chooseSource(checkout, settings.source, ports.workspace.root);
  caller.say?.(`fetch: ${source.remote ?? (source.kind === "path" ? source.url : "the source")}`);
  const options = { timeoutMs: settings.timeoutMs, signal: caller.signal };
  return { found: await findCommit(git, { revision, source, checkout }, options), git, checkout };
}

/** A release of another tool, for example, has no Git. Nothing was done yet. */
function withoutCheckout(error: unknown): unknown {
  if (!(error instanceof SvcmError)) return error;
  const { code, hint, ...rest } = error.body;
  const isFolder = code === "GIT_NO_REPOSITORY";
  return new SvcmError("DEPLOY_FAILED", {
    ...rest,
    ...(isFolder ? { code: "DEPLOY_SOURCE_UNKNOWN" } : { code, hint }),
  });
}

/** Of the same commit, so nothing is built twice. */
export async function findPrepared(
  { root, caller }: DeployContext,
  { commit }: FoundCommit,
): Promise<DeployRecord | undefined> {
  for (const record of await root.records()) {
    if (record.commit !== commit || !isPrepared(record)) continue;
    if (!(await root.exists(`${root.layout.releases}/${record.id}`))) continue;
    caller.say?.(`files: ${commit.slice(0, 7)} is prepared already in ${root.layout.releases}/${record.id}`);
    return record;
  }
  return undefined;
}
