import { SvcmError } from "../api/errors.ts";
import { resolvePath } from "../project/resolve.ts";
import { maskCredentials } from "../secrets/redact.ts";
import type { Checkout, DeployGit, FetchOptions, Source } from "./port-deploy-git.ts";

export interface FoundCommit {
  readonly commit: string;
  /** As requested, or the branch that is deployed without a request. */
  readonly revision: string;
  /** Without credentials. */
  readonly source: string;
  /** Of an archive, whose beginning takes the place of the commit. */
  readonly digest?: string;
}

/** The default is `origin`, or the only remote; without a remote, the checkout itself. @throws {SvcmError} DEPLOY_FAILED */
export function chooseSource(checkout: Checkout, declared: string | undefined, root: string): Source {
  const { urls, top, settings } = checkout;
  const [only] = urls.size === 1 ? urls.keys() : [];
  const remote = declared ?? (urls.has("origin") ? "origin" : only);
  const url = remote === undefined ? undefined : urls.get(remote);
  if (remote !== undefined && url !== undefined) return { kind: "remote", url: toAbsolute(url, top), remote, settings };
  if (declared === undefined && urls.size === 0) return { kind: "path", url: top, settings };
  if (declared === undefined)
    throw new SvcmError("DEPLOY_FAILED", {
      code: "DEPLOY_SOURCE_UNKNOWN",
      details: `The checkout has several remotes, and none is origin: ${[...urls.keys()].join(", ")}.`,
      hint: "Name one of them as deploy.source in svcm.yaml.",
    });
  if (HELPER.test(declared))
    throw new SvcmError("DEPLOY_FAILED", {
      code: "DEPLOY_SOURCE_UNKNOWN",
      details: `deploy.source ${maskCredentials(declared)} names a program. Accepted: a remote, a path, or a URL with https, ssh, git or file.`,
    });
  if (isUrl(declared)) return { kind: "url", url: declared, settings };
  return { kind: "path", url: resolvePath(root, declared), settings };
}

/** A folder without Git, such as a release of another tool: its path begins every path in it. */
export function folderOnly(top: string): Checkout {
  return { top, prefix: "", urls: new Map(), upstream: undefined, settings: [] };
}

/** `ext::…` would run a program. */
const HELPER = /^[a-z][a-z0-9+.-]*::/i;

function isUrl(text: string): boolean {
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(text) || /^[^/]+@?[^/:]+:[^/]*/.test(text);
}

/** A remote's URL may be a path, relative to the checkout. */
function toAbsolute(url: string, top: string): string {
  return isUrl(url) || HELPER.test(url) ? url : resolvePath(top, url);
}

interface CommitRequest {
  readonly revision: string | undefined;
  readonly source: Source;
  readonly checkout: Checkout;
}

/** Brings the source's commits and finds the requested one. @throws {SvcmError} DEPLOY_FAILED, NOT_FOUND */
export async function findCommit(git: DeployGit, request: CommitRequest, options: FetchOptions): Promise<FoundCommit> {
  const { source, checkout } = request;
  const isOwn = source.kind === "path" && source.url === checkout.top;
  const revision = request.revision ?? (isOwn ? "HEAD" : await defaultRevision(git, request, options));
  const isOfCheckout = /^(?:HEAD|@)(?![\w-])/.test(revision);
  const inCheckout = await git.resolve("checkout", revision);
  // A commit that no branch names is fetched by its id.
  await git.fetch({ ...source, commit: isOwn ? inCheckout : undefined }, options);
  const wanted = isOfCheckout || isOwn ? inCheckout : await resolveFetched(git, revision, source);
  const commit = wanted === undefined ? undefined : await git.resolve("repository", wanted);
  if (commit !== undefined) return { commit, revision, source: maskCredentials(source.url) };
  if (request.revision === undefined && !isOwn)
    throw branchGone(revision, source, await git.defaultBranch(source, options));
  throw inCheckout === undefined ? unknownRevision(revision) : await unpublished(git, revision, inCheckout, source);
}

/**
 * The commit of the checkout's own branch, if no branch or tag of its remote has it. Its author may believe that it is
 * deployed. Call this function after {@link findCommit}, which fetches.
 */
export async function findUnpushed(
  git: Pick<DeployGit, "isShallow" | "resolve">,
  { revision, source: { remote }, checkout: { upstream } }: CommitRequest,
  found: FoundCommit,
): Promise<string | undefined> {
  if (remote === undefined || git.isShallow()) return undefined;
  const isFollowed = revision === undefined && upstream?.remote === remote;
  const own = await git.resolve("checkout", isFollowed ? "HEAD" : `refs/heads/${found.revision}`);
  if (own === undefined || own === found.commit) return undefined;
  return (await git.resolve("repository", own)) === undefined ? own : undefined;
}

async function defaultRevision(
  git: DeployGit,
  { source, checkout }: CommitRequest,
  options: FetchOptions,
): Promise<string> {
  const { upstream } = checkout;
  if (upstream !== undefined && upstream.remote === source.remote) return upstream.branch;
  const branch = await git.defaultBranch(source, options);
  if (branch !== undefined) return branch;
  throw new SvcmError("DEPLOY_FAILED", {
    code: "REVISION_NOT_FOUND",
    details: "The checkout's branch follows no branch of the source, and the source has no default branch.",
    hint: "Name a branch, a tag or a commit: svcm deploy <revision>",
  });
}

async function resolveFetched(git: DeployGit, revision: string, { remote }: Source): Promise<string | undefined> {
  const [branch, tag] = await Promise.all([
    git.resolve("repository", `refs/heads/${revision}`),
    git.resolve("repository", `refs/tags/${revision}`),
  ]);
  if (branch !== undefined && tag !== undefined && branch !== tag)
    throw new SvcmError("DEPLOY_FAILED", {
      code: "REVISION_AMBIGUOUS",
      details: `${revision} is a branch at ${branch.slice(0, 7)} and a tag at ${tag.slice(0, 7)}.`,
      hint: `Name one of them: svcm deploy refs/heads/${revision} or svcm deploy refs/tags/${revision}`,
    });
  const prefix = remote === undefined ? undefined : `${remote}/`;
  const ofRemote =
    prefix !== undefined && revision.startsWith(prefix)
      ? await git.resolve("repository", `refs/heads/${revision.slice(prefix.length)}`)
      : undefined;
  return branch ?? tag ?? ofRemote ?? (await git.resolve("repository", revision));
}

function unknownRevision(revision: string): SvcmError {
  return new SvcmError("NOT_FOUND", {
    code: "REVISION_NOT_FOUND",
    details: `${JSON.stringify(revision.slice(0, 80))} is not a revision of the source.`,
    hint: "`git branch --all` and `git tag` list the names.",
  });
}

/** The checkout follows a branch that was renamed or removed since. */
function branchGone(followed: string, { url, remote }: Source, present: string | undefined): SvcmError {
  const other = present === undefined || present === followed ? undefined : present;
  return new SvcmError("NOT_FOUND", {
    code: "REVISION_NOT_FOUND",
    details: [
      `The checkout follows the branch ${followed}, which ${maskCredentials(url)} does not have.`,
      ...(other === undefined ? [] : [`Its default branch is ${other}.`]),
    ].join(" "),
    hint:
      other === undefined
        ? "Name a branch, a tag or a commit: svcm deploy <revision>"
        : `svcm deploy ${other} deploys that one. To follow it: git fetch && git branch --set-upstream-to=${remote}/${other}`,
  });
}

/** The commit, or only its name. */
async function unpublished(git: DeployGit, revision: string, commit: string, { url }: Source): Promise<SvcmError> {
  const [id, where] = [commit.slice(0, 10), maskCredentials(url)];
  const isKnown = (await git.resolve("repository", commit)) !== undefined;
  return new SvcmError("DEPLOY_FAILED", {
    code: "REVISION_NOT_PUBLISHED",
    details: isKnown
      ? `${revision} names the commit ${id} in the checkout. ${where} has that commit, but no branch or tag of that name.`
      : `${revision} is the commit ${id} of the checkout, which ${where} does not have.`,
    hint: isKnown ? `Push the name, or deploy the commit: svcm deploy ${id}` : "Push it first, then deploy again.",
  });
}
