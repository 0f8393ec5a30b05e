/** Reads a repository's HEAD without a process of Git, and its trees with one. */
import { existsSync, statSync } from "node:fs";
import { dirname, isAbsolute, join, relative } from "node:path";
import { parseTree, readUnwrittenIds } from "../../files/git-files.ts";
import { readIfReadable } from "../../files/system.ts";
import { GitRefusal, gitRunner, type GitOptions, type GitRunner } from "../../files/git.ts";

const MAX_OUTPUT = 64 * 2 ** 20;

/** Ids by path. */
interface Trees {
  readonly files: ReadonlyMap<string, string>;
  readonly submodules: ReadonlyMap<string, string>;
}

export class Repository {
  readonly top: string;
  readonly #gitDir: string;
  readonly #run: GitRunner;
  #head: string | null | undefined;
  readonly #env: GitOptions["env"];
  readonly #trees = new Map<string, Promise<Trees>>();

  constructor(top: string, gitDir: string, env: GitOptions["env"]) {
    this.top = top;
    this.#gitDir = gitDir;
    this.#env = env;
    this.#run = gitRunner({ root: top, env });
  }

  /** The commits of HEAD, with their times; empty without a log. */
  moves(): HeadMove[] {
    return parseReflog(readIfReadable(join(this.#gitDir, "logs/HEAD")));
  }

  head(): string | null {
    return (this.#head ??= this.#readHead());
  }

  #readHead(): string | null {
    const head = readIfReadable(join(this.#gitDir, "HEAD")).trim();
    const [, ref] = /^ref: (.+)$/.exec(head) ?? [];
    if (ref === undefined) return commitOrNull(head);
    const common = this.#commonDir();
    const own = [this.#gitDir, common].map((folder) => commitOrNull(readIfReadable(join(folder, ref)).trim()));
    return own.find((commit) => commit !== null) ?? findPacked(readIfReadable(join(common, "packed-refs")), ref);
  }

  /**
   * Ids of files and links by path, relative to `folder`.
   * @param more absolute paths of files outside of the folder, of which some may be outside of the repository
   * @throws {SvcmError} REVISION_FAILED
   */
  async tree(commit: string, folder: string, more: readonly string[] = []): Promise<ReadonlyMap<string, string>> {
    return (await this.#treesOf(commit, folder, more)).files;
  }

  /**
   * Those that are checked out, by path relative to `folder`, with the commit that this repository has of each.
   * @throws {SvcmError} REVISION_FAILED
   */
  async submodules(
    commit: string,
    folder: string,
    more: readonly string[] = [],
  ): Promise<[path: string, id: string, repository: Repository][]> {
    const { submodules } = await this.#treesOf(commit, folder, more);
    return [...submodules].flatMap(([path, id]) => {
      const top = join(folder, path);
      const found = existsSync(join(top, ".git")) ? findRepository(top, this.#env) : undefined;
      return found === undefined ? [] : [[path, id, found]];
    });
  }

  #treesOf(commit: string, folder: string, more: readonly string[]): Promise<Trees> {
    const key = JSON.stringify([commit, folder, more]);
    const found = this.#trees.get(key) ?? this.#readTree(commit, folder, more);
    this.#trees.set(key, found);
    return found;
  }

  /** Those of the paths, relative to `folder`, that Git ignores. @throws {SvcmError} REVISION_FAILED */
  async ignored(paths: readonly string[], folder: string): Promise<ReadonlySet<string>> {
    if (paths.length === 0) return new Set();
    const inside = paths.filter((path) => !path.startsWith("../"));
    const input = inside.map((path) => `${join(folder, path)}\0`).join("");
    const output = await this.#run(MAX_OUTPUT, ["check-ignore", "-z", "--stdin"], input).catch((error: unknown) => {
      // It answers 1 if no path is ignored.
      if (error instanceof GitRefusal && error.exitCode === 1) return Buffer.alloc(0);
      throw error;
    });
    return new Set(
      output
        .toString("utf8")
        .split("\0")
        .filter(Boolean)
        .map((path) => relative(folder, path)),
    );
  }

  /** By path, relative to `folder`. @see readUnwrittenIds */
  async unwritten(paths: readonly string[], folder: string): Promise<ReadonlyMap<string, string>> {
    const git = (...args: string[]): Promise<Buffer> => this.#run(MAX_OUTPUT, args);
    const names = paths.map((path) => relative(this.top, join(folder, path)));
    const ids = await readUnwrittenIds(git, this.top, names).catch(() => new Map<string, string>());
    return new Map([...ids].map(([name, id]) => [relative(folder, join(this.top, name)), id]));
  }

  async #readTree(commit: string, folder: string, more: readonly string[]): Promise<Trees> {
    const prefix = relative(this.top, folder);
    const others = more.map((path) => relative(this.top, path)).filter((path) => !path.startsWith(".."));
    const where = prefix === "" ? [] : ["--", prefix, ...others];
    const listing = await this.#run(MAX_OUTPUT, ["ls-tree", "-r", "-z", "--full-tree", commit, ...where]);
    const entries = parseTree(listing.toString("utf8"));
    const idsOf = (found: typeof entries) => new Map(found.map(({ id, name }) => [relative(prefix, name), id]));
    return {
      files: idsOf(entries.filter(({ isFile, isLink }) => isFile || isLink)),
      submodules: idsOf(entries.filter(({ isSubmodule }) => isSubmodule)),
    };
  }

  #commonDir(): string {
    const text = readIfReadable(join(this.#gitDir, "commondir")).trim();
    return text === "" ? this.#gitDir : resolveFrom(this.#gitDir, text);
  }
}

/** `undefined` if the folder is in no work tree. */
export function findRepository(folder: string, env: GitOptions["env"]): Repository | undefined {
  for (let at = folder; ; at = dirname(at)) {
    const path = join(at, ".git");
    if (existsSync(path)) return new Repository(at, gitDirOf(path, at), env);
    if (at === dirname(at)) return undefined;
  }
}

/** In a linked work tree and a submodule, `.git` is a file. */
function gitDirOf(path: string, top: string): string {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() !== false) return path;
  const [, target] = /^gitdir: (.+)$/m.exec(readIfReadable(path)) ?? [];
  return target === undefined ? path : resolveFrom(top, target.trim());
}

function resolveFrom(folder: string, path: string): string {
  return isAbsolute(path) ? path : join(folder, path);
}

function commitOrNull(text: string): string | null {
  return /^[0-9a-f]{40,64}$/.test(text) ? text : null;
}

function findPacked(text: string, ref: string): string | null {
  const line = text.split("\n").find((one) => one.endsWith(` ${ref}`));
  return commitOrNull(line?.split(" ")[0] ?? "");
}

/** `logs/HEAD` of a Git repository: where HEAD was, and when. */
export interface HeadMove {
  readonly from: string;
  readonly to: string;
  /** With the resolution of a second. */
  readonly atMs: number;
  /** It also drops what is uncommitted, as `git stash` and `git reset --hard` do. */
  readonly isReset: boolean;
}

export interface HeadAtStart {
  /** `null` if the log begins later. */
  readonly commit: string | null;
  /** HEAD moved in the second of the start, so it may have been one of these, too. */
  readonly others: readonly string[];
  /** In later seconds. */
  readonly later: readonly HeadMove[];
}

const LINE = /^([0-9a-f]{40,64}) ([0-9a-f]{40,64}) .*> (\d+) [+-]\d{4}(?:\t(.*))?$/;
const NONE = /^0+$/;

export function parseReflog(text: string): HeadMove[] {
  return text.split("\n").flatMap((line) => {
    const [, from = "", to = "", seconds, message = ""] = LINE.exec(line) ?? [];
    if (seconds === undefined) return [];
    return [{ from, to, atMs: Number(seconds) * 1000, isReset: from === to || message.startsWith("reset:") }];
  });
}

/** A commit and a start often share a second. */
export function findHeadAt(moves: readonly HeadMove[], startMs: number): HeadAtStart {
  const second = Math.floor(startMs / 1000) * 1000;
  const before = moves.filter(({ atMs }) => atMs < second);
  const within = moves.filter(({ atMs }) => atMs === second);
  const later = moves.filter(({ atMs }) => atMs > second);
  const former = before.at(-1)?.to ?? within[0]?.from ?? later[0]?.from;
  const candidates = [former, ...within.flatMap(({ from, to }) => [from, to])].filter(
    (commit) => commit !== undefined && !NONE.test(commit),
  ) as string[];
  const commit = candidates.at(-1) ?? null;
  return { commit, others: [...new Set(candidates)].filter((one) => one !== commit), later };
}
