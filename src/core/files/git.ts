import type { GitSilence, RevisionFile, Revisions } from "./ports.ts";
import { foreignCode, type ErrorCode } from "../api/issue.ts";
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import {
  type Git,
  parseTree,
  readFormerTexts,
  requireReadable,
  revisionState,
  withRevisionFiles,
} from "./git-files.ts";
import { SvcmError, type RefusalBody } from "../api/errors.ts";
import { shellQuote } from "../words/text.ts";

export interface GitOptions {
  readonly root: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly maxBytes: number;
  readonly timeoutMs?: number;
}

async function listFiles(git: Git, paths: readonly string[], ...options: string[]): Promise<string[]> {
  if (paths.length === 0) return [];
  // A file monitor is a program that the repository's configuration names.
  return await readNames(git("-c", "core.fsmonitor=false", "ls-files", "-z", ...options, "--", ...paths), "\0");
}

/** These commands run no hook, filter or pager. User input follows `--end-of-options`, never in a shell. */
export function gitRevisions({ root, env, maxBytes, timeoutMs = 10_000 }: GitOptions): Revisions {
  const run = gitRunner({ root, env, timeoutMs });
  const git: Git = (...args) => run(maxBytes + 1024, args);
  return {
    readState: (paths) => revisionState(git, root, paths),
    refusal: () => readRefusal(git, root),
    withFiles: async (revision, work) => {
      const commit = await resolveCommit(git, revision);
      return await withRevisionFiles({ root, commit, run }, (folder) => work(folder, commit));
    },
    listNames: () =>
      readNames(
        git("for-each-ref", "--sort=-committerdate", `--count=${MAX_NAMES}`, "--format=%(refname:short)"),
        "\n",
      ),
    formerTexts: (paths, timesMs) => readFormerTexts(git, root, paths, timesMs),
    listTracked: (paths) => listFiles(git, paths),
    listUnignored: (paths) => listFiles(git, paths, "--others", "--exclude-standard"),
    async read(revision, path): Promise<RevisionFile> {
      const commit = await resolveCommit(git, revision);
      const name = relative(root, path);
      if (name === ".." || name.startsWith(`..${sep}`))
        throw revisionError("EOUTSIDE", `${path} is outside of ${root}.`, path);
      const [entry] = parseTree((await git("ls-tree", "-z", "-l", commit, "--", name)).toString("utf8"));
      if (entry === undefined) {
        await requireOwnWorkTree(git);
        return { commit, bytes: undefined };
      }
      requireReadable(entry);
      const label = `${commit.slice(0, 10)}:${name}`;
      if (!entry.isFile) throw revisionError("ENOTREG", `${label} is not a regular file.`, path);
      if (entry.size > maxBytes) throw revisionError("EFBIG", `${label} is larger than ${maxBytes} bytes.`, path);
      return { commit, bytes: await git("cat-file", "blob", entry.id) };
    },
  };
}

export type GitRunner = (maxBuffer: number, args: readonly string[], input?: string) => Promise<Buffer>;

/** After a call without an answer, those of the same command do not wait again; a server asks again for the next one. */
const SILENT_MS = 5000;

/** @throws {SvcmError} REVISION_FAILED */
export function gitRunner({ root, env, timeoutMs = 10_000 }: Omit<GitOptions, "maxBytes">): GitRunner {
  let silence: { readonly error: unknown; readonly endMs: number } | undefined;
  // `git check-ignore` takes paths, and refuses this option.
  return async (maxBuffer, args, input = "") => {
    if (silence !== undefined && performance.now() < silence.endMs) throw silence.error;
    const options = { env: gitEnvironment(env), maxBuffer, timeout: timeoutMs };
    const literal = args[0] === "check-ignore" ? [] : ["--literal-pathspecs"];
    return await runGit(["-C", root, "--no-pager", ...literal, ...args], options, input).catch((error: unknown) => {
      const isSilent = error instanceof SvcmError && error.body.code === "GIT_TIMEOUT";
      if (isSilent) silence = { error, endMs: performance.now() + SILENT_MS };
      throw error;
    });
  };
}

/** A repository that Git cannot read is in a folder with `.git` all the same. */
async function readRefusal(git: Git, root: string): Promise<GitSilence | undefined> {
  try {
    const head = await git("rev-parse", "--verify", "--quiet", "HEAD");
    await git("cat-file", "-t", head.toString("latin1").trim());
    return undefined;
  } catch (error) {
    if (!(error instanceof SvcmError) || error.body.code === undefined || !isBelowGit(root)) return undefined;
    // Before the first commit.
    if (error instanceof GitRefusal && error.stderr.trim() === "") return undefined;
    const { code } = error.body;
    const trust = `If you trust it: git config --global --add safe.directory ${shellQuote(root)}`;
    return { code, message: code === "GIT_OWNERSHIP" ? `${error.message} ${trust}` : error.message };
  }
}

function isBelowGit(folder: string): boolean {
  return existsSync(join(folder, ".git")) || (dirname(folder) !== folder && isBelowGit(dirname(folder)));
}

const MAX_NAMES = 200;

async function readNames(listing: Promise<Buffer>, separator: string): Promise<string[]> {
  const text = await listing.then((bytes) => bytes.toString("utf8")).catch(() => "");
  return text.split(separator).filter((name) => name !== "");
}

const INVALID_REVISION = /^-|[\p{Cc}\p{Zl}\p{Zp}]|^$/u;

async function resolveCommit(git: Git, revision: string): Promise<string> {
  const unknown = new SvcmError("NOT_FOUND", {
    code: "REVISION_NOT_FOUND",
    details: `${JSON.stringify(revision.slice(0, 80))} is not a revision of this repository.`,
    hint: "`git branch --all` and `git tag` list the names; a shallow clone lacks older commits.",
  });
  if (INVALID_REVISION.test(revision) || revision.length > MAX_REVISION) throw unknown;
  const parse = async (name: string): Promise<string> => {
    const answer = await git("rev-parse", "--verify", "--quiet", "--end-of-options", name).catch((error: unknown) => {
      throw error instanceof GitRefusal && isUnknownRevision(error) ? unknown : error;
    });
    return answer.toString("latin1").trim();
  };
  // In two steps, because `^{commit}` appended to user input could become part of it.
  return await parse(`${await parse(revision)}^{commit}`);
}

const MAX_REVISION = 1000;

/** With --quiet, Git prints nothing for an unknown revision, but reports other errors. */
function isUnknownRevision({ exitCode, stderr }: GitRefusal): boolean {
  return exitCode === 1 || stderr.trim() === "" || stderr.startsWith("fatal: Needed a single revision");
}

/** With `core.worktree` set, Git looks for every path in another folder and finds nothing. */
async function requireOwnWorkTree(git: Git): Promise<void> {
  const top = (await git("rev-parse", "--show-toplevel")).toString("utf8").trimEnd();
  if (existsSync(join(top, ".git"))) return;
  throw revisionError(
    "GIT_WORK_TREE_MOVED",
    `Git's setting core.worktree moves the work tree to ${top}, so Git finds no file of this repository.`,
  );
}

export class GitRefusal extends SvcmError {
  readonly exitCode: number;
  readonly stderr: string;

  constructor(body: RefusalBody, exitCode: number, stderr: string) {
    super("REVISION_FAILED", body);
    this.exitCode = exitCode;
    this.stderr = stderr;
  }
}

interface RunOptions {
  readonly env: NodeJS.ProcessEnv;
  readonly maxBuffer: number;
  readonly timeout: number;
}

async function runGit(args: readonly string[], options: RunOptions, input: string): Promise<Buffer> {
  return await new Promise((resolve, reject) => {
    const child = execFile(
      "git",
      args,
      { ...options, encoding: "buffer", killSignal: "SIGKILL", windowsHide: true },
      (error, stdout, stderr) => {
        if (error === null) resolve(stdout);
        else reject(gitFailure(error, stderr.toString("utf8"), options.timeout));
      },
    );
    // If the program reads more than the input, standard input ends.
    child.stdin?.on("error", () => undefined).end(input);
  });
}

interface ExecError extends Error {
  readonly code?: string | number | null;
  readonly killed?: boolean;
}

function gitFailure({ code, killed, message }: ExecError, stderr: string, timeoutMs: number): Error {
  if (code === "ENOENT")
    return revisionError("GIT_NOT_FOUND", "The program git is not in the PATH. Install Git, or add it to the PATH.");
  if (typeof code === "string") return revisionError(foreignCode(code), message);
  if (killed) return revisionError("GIT_TIMEOUT", `git did not answer within ${timeoutMs / 1000} seconds.`);
  const text = stderr
    .replaceAll(/^(?:fatal|error): /gm, "")
    .replaceAll(/\p{C}+/gu, " ")
    .trim();
  const knownError = KNOWN_ERRORS.find(({ pattern }) => pattern.test(stderr))?.body;
  return new GitRefusal(
    knownError ?? { code: "GIT_FAILED", details: text || "git gave no reason." },
    code ?? 1,
    stderr,
  );
}

const KNOWN_ERRORS: readonly { readonly pattern: RegExp; readonly body: RefusalBody }[] = [
  {
    pattern: /not a git repository|must be run in a work tree/,
    body: { code: "GIT_NO_REPOSITORY", details: "The repository root is not in a work tree of Git." },
  },
  {
    pattern: /dubious ownership|unsafe repository/,
    body: {
      code: "GIT_OWNERSHIP",
      details: "The repository belongs to another user, and Git does not trust it.",
      hint: "If you trust it, run `git config --global --add safe.directory <root>`.",
    },
  },
];

function revisionError(code: ErrorCode, details: string, path?: string): SvcmError {
  return new SvcmError("REVISION_FAILED", { code, details, path });
}

/** A hook sets variables that point Git elsewhere. */
function gitEnvironment(env: GitOptions["env"]): NodeJS.ProcessEnv {
  const ownVariables = Object.entries(env).filter(([name]) => !name.startsWith("GIT_"));
  return {
    ...Object.fromEntries(ownVariables),
    LC_ALL: "C",
    LANGUAGE: "",
    GIT_TERMINAL_PROMPT: "0",
    GIT_OPTIONAL_LOCKS: "0",
    GIT_NO_LAZY_FETCH: "1",
    // For Git versions without GIT_NO_LAZY_FETCH.
    GIT_ALLOW_PROTOCOL: "",
  };
}
