/** Git, between the checkout, its source and the bare repository of a deploy root. */
export interface DeployGit {
  /** @throws {SvcmError} REVISION_FAILED without Git or a repository */
  readCheckout(): Promise<Checkout>;

  /**
   * Creates the repository if necessary, and brings every branch and tag of the source into it. No hook, filter or
   * question.
   * @throws {SvcmError} DEPLOY_FAILED with DEPLOY_FETCH_FAILED
   */
  fetch(source: Source, options: FetchOptions): Promise<void>;

  /** The branch of the source's HEAD; `undefined` if it is detached. */
  defaultBranch(source: Source, options: FetchOptions): Promise<string | undefined>;

  /**
   * Untracked and ignored files of the checkout, below the repository root; a folder of them is one path, with a slash,
   * unless it has one of these paths.
   */
  listOthers(detailed: readonly string[]): Promise<string[]>;

  /** 40 hex digits; `undefined` if the place has no such commit. */
  resolve(where: "repository" | "checkout", revision: string): Promise<string | undefined>;

  /** True if the source is a shallow clone: not even a commit of its branches has to be there. */
  isShallow(): boolean;

  readCommit(commit: string): Promise<CommitFacts>;

  /** The newest commits that lead to `to` and not to `from`. @throws {SvcmError} DEPLOY_FAILED if one is not there */
  listBetween(from: string, to: string): Promise<NamedCommit[]>;

  /** Every file of the commit, byte for byte. */
  write(commit: string, folder: string, index: string): Promise<void>;

  /** Keeps the commit of a release, and lets go of the others. */
  keep(commits: ReadonlyMap<string, string>): Promise<void>;
}

export interface Checkout {
  readonly top: string;
  /** Of the repository root below the top: `""`, or `packages/api/`. */
  readonly prefix: string;
  /** By remote. */
  readonly urls: ReadonlyMap<string, string>;
  /** The branch that the current one follows. */
  readonly upstream: { readonly remote: string; readonly branch: string } | undefined;
  /** Settings of the checkout that its remotes need, such as a proxy. */
  readonly settings: readonly (readonly [name: string, value: string])[];
}

export interface Source {
  readonly kind: "remote" | "path" | "url";
  readonly url: string;
  readonly remote?: string;
  readonly settings: Checkout["settings"];
  /** To fetch by its id, if no branch or tag names it. */
  readonly commit?: string | undefined;
}

export interface FetchOptions {
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

export interface NamedCommit {
  readonly commit: string;
  readonly subject: string;
}

export interface CommitFacts {
  readonly subject: string;
  readonly submodules: readonly string[];
  /** Small files that may be LFS pointers, because the commit has a filter for LFS. */
  readonly lfsCandidates: readonly string[];
}
