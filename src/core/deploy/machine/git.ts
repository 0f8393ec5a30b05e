/** Only these commands of Git run, and none in the reach of a work tree's hooks or filters. */
import { mkdir, rm } from "node:fs/promises";
import { existsSync, realpathSync } from "node:fs";
import { gitRunner } from "../../files/git.ts";
import { attemptDeploy } from "./root.ts";
import type { Checkout, CommitFacts, DeployGit, NamedCommit, FetchOptions, Source } from "../port-deploy-git.ts";
import { listFiles } from "./walk.ts";
import { SvcmError } from "../../api/errors.ts";
import { maskCredentials } from "../../secrets/redact.ts";
import type { CommandResult } from "../port-deploys.ts";
import { readRoom } from "../../files/host.ts";
import { lackingIn, type Lacking } from "../../words/thrown.ts";
import { noSpace } from "./no-space.ts";
import { runCommand } from "./run-command.ts";
import { shellQuote } from "../../words/text.ts";

const MAX_BYTES = 64 * 2 ** 20;
const REVISION = /^(?!-)[^\p{Cc}\p{Zl}\p{Zp}]{1,1000}$/u;
const MAX_POINTER_BYTES = 1024;
const MAX_COMMITS = 50;

type Own = (args: readonly string[], more?: RunGitOptions) => Promise<string>;

export function deployGit(place: GitPlace): DeployGit {
  const { root, repository, env } = place;
  const inCheckout = gitRunner({ root, env });
  const ask: Ask = (...args) =>
    inCheckout(MAX_BYTES, args).then(
      (bytes) => bytes.toString("utf8").trim(),
      () => undefined,
    );
  const own: Own = (args, more) => runGit(place, args, more);
  return {
    readCheckout: () => readCheckout(inCheckout, ask),
    // Without Git, any of the files may be data.
    listOthers: (detailed) => listOthers(inCheckout, detailed).catch(() => listFiles(root)),
    async fetch(source, options) {
      await init(repository, own);
      await own([...FETCH, "--", source.url, ...FETCHED_REFS, ...(source.commit ? [source.commit] : [])], {
        source,
        options,
      });
    },
    async defaultBranch(source, options) {
      await init(repository, own);
      const text = await own(["ls-remote", "--symref", "--", source.url, "HEAD"], { source, options });
      return /^ref: refs\/heads\/(\S+)\s+HEAD$/m.exec(text)?.[1];
    },
    resolve: (where, revision) =>
      resolveCommit(where === "checkout" ? ask : (...args) => own(args).catch(() => undefined), revision),
    isShallow: () => existsSync(`${repository}/shallow`),
    readCommit: (commit) => readCommit(own, commit),
    listBetween: (from, to) => listBetween(own, from, to),
    async write(commit, folder, index) {
      const extra = { GIT_INDEX_FILE: index, GIT_WORK_TREE: folder };
      try {
        await own(["read-tree", commit], { extra });
        await own(["checkout-index", "--all", "--quiet"], { extra, cwd: folder });
      } finally {
        await rm(index, { force: true });
      }
    },
    keep: async (commits) => void (existsSync(`${repository}/HEAD`) && (await keepCommits(own, commits))),
  };
}

/** The listing ignores no file, so it needs no rule of the repository. A file monitor is a program that it names. */
async function listOthers(run: ReturnType<typeof gitRunner>, detailed: readonly string[]): Promise<string[]> {
  const list = async (...args: string[]): Promise<string[]> => {
    const command = ["-c", "core.fsmonitor=false", "ls-files", "-z", "--others", ...args];
    return (await run(MAX_BYTES, command)).toString("utf8").split("\0").filter(Boolean);
  };
  const paths = await list("--directory", "--no-empty-directory");
  const split = paths.filter((path) => path.endsWith("/") && detailed.some((name) => name.startsWith(path)));
  const inside = split.length === 0 ? [] : await list("--", ...split);
  return [...paths.filter((path) => !split.includes(path)), ...inside];
}

async function init(repository: string, own: Own): Promise<void> {
  if (existsSync(`${repository}/HEAD`)) return;
  await attemptDeploy(repository, () => mkdir(repository, { recursive: true, mode: 0o700 }));
  await own(["init", "--bare", "--quiet", "--", repository], { isInit: true });
}

/** In two steps, because `^{commit}` appended to user input could become part of it. */
async function resolveCommit(ask: Ask, revision: string): Promise<string | undefined> {
  if (!REVISION.test(revision)) return undefined;
  const parse = async (name: string): Promise<string | undefined> =>
    (await ask("rev-parse", "--verify", "--quiet", "--end-of-options", name))?.trim();
  const found = await parse(revision);
  const commit = found === undefined ? undefined : await parse(`${found}^{commit}`);
  return commit !== undefined && /^[0-9a-f]{40,64}$/.test(commit) ? commit : undefined;
}

async function listBetween(own: Own, from: string, to: string): Promise<NamedCommit[]> {
  const format = ["--format=%H %s", "--no-show-signature", `--max-count=${MAX_COMMITS}`];
  const text = await own(["log", ...format, "--end-of-options", `${from}..${to}`, "--"]);
  return text.split("\n").flatMap((line) => {
    const [, commit = "", subject = ""] = /^([0-9a-f]{40,64}) (.*)$/.exec(line) ?? [];
    return commit === "" ? [] : [{ commit, subject: subject.slice(0, 200) }];
  });
}

async function keepCommits(own: Own, commits: ReadonlyMap<string, string>): Promise<void> {
  const listed = (await own(["for-each-ref", "--format=%(refname)", KEPT_REFS])).split("\n").filter(Boolean);
  const wanted = new Map([...commits].map(([id, commit]) => [`${KEPT_REFS}${id}`, commit]));
  for (const [name, commit] of wanted)
    if (!listed.includes(name) && (await hasCommit(own, commit))) await own(["update-ref", name, commit]);
  for (const name of listed) if (!wanted.has(name)) await own(["update-ref", "-d", name]);
}

/** The source may have lost it by a push with force, and a repository that was made again has only what the source has. */
function hasCommit(own: Own, commit: string): Promise<boolean> {
  return own(["cat-file", "-e", `${commit}^{commit}`]).then(
    () => true,
    () => false,
  );
}

const KEPT_REFS = "refs/svcm/";
const FETCHED_REFS = ["+refs/heads/*:refs/heads/*", "+refs/tags/*:refs/tags/*"];
const FETCH = [
  "fetch",
  "--quiet",
  "--prune",
  "--force",
  "--update-shallow",
  "--no-write-fetch-head",
  "--no-recurse-submodules",
  "--no-auto-maintenance",
];

type Ask = (...args: string[]) => Promise<string | undefined>;

const PASSED_ON = "^(credential\\..*|http\\..*|url\\..*|core\\.sshcommand)$";

async function readCheckout(run: ReturnType<typeof gitRunner>, ask: Ask): Promise<Checkout> {
  const top = (await run(MAX_BYTES, ["rev-parse", "--show-toplevel"])).toString("utf8").trimEnd();
  const [prefix = "", remotes = "", branch, config = ""] = await Promise.all([
    ask("rev-parse", "--show-prefix"),
    ask("remote"),
    ask("symbolic-ref", "--quiet", "--short", "HEAD"),
    ask("config", "--local", "--null", "--get-regexp", PASSED_ON),
  ]);
  const names = remotes.split("\n").filter(Boolean);
  const urls = await Promise.all(names.map(async (name) => [name, await ask("remote", "get-url", name)] as const));
  const [remote, merge] = branch
    ? await Promise.all([ask("config", `branch.${branch}.remote`), ask("config", `branch.${branch}.merge`)])
    : [];
  const [, followed] = /^refs\/heads\/(.+)$/.exec(merge ?? "") ?? [];
  return {
    top: realpathSync(top),
    prefix,
    urls: new Map(urls.flatMap(([name, url]) => (url === undefined ? [] : [[name, url] as const]))),
    upstream: remote !== undefined && followed !== undefined ? { remote, branch: followed } : undefined,
    settings: config.split("\0").flatMap((line) => {
      const at = line.indexOf("\n");
      return at > 0 ? [[line.slice(0, at), line.slice(at + 1)] as const] : [];
    }),
  };
}

async function readCommit(own: Own, commit: string): Promise<CommitFacts> {
  const [text, listing] = await Promise.all([
    own(["cat-file", "commit", commit]),
    own(["ls-tree", "-r", "-z", "-l", commit]),
  ]);
  const entries = listing.split("\0").flatMap((line) => {
    const [, mode = "", size = "", path = ""] = /^(\d+) \w+ [0-9a-f]+ +(\d+|-)\t(.+)$/s.exec(line) ?? [];
    return path === "" ? [] : [{ mode, size: Number(size), path }];
  });
  const attributes = entries.filter(({ path }) => /(?:^|\/)\.gitattributes$/.test(path));
  const rules = await Promise.all(attributes.map(({ path }) => own(["cat-file", "blob", `${commit}:${path}`])));
  const hasLfs = rules.some((rule) => rule.includes("filter=lfs"));
  const small = entries.filter(({ mode, size }) => mode.startsWith("100") && size <= MAX_POINTER_BYTES);
  return {
    subject:
      text
        .slice(text.indexOf("\n\n") + 2)
        .split("\n", 1)[0]
        ?.slice(0, 200) ?? "",
    submodules: entries.filter(({ mode }) => mode === "160000").map(({ path }) => path),
    lfsCandidates: hasLfs ? small.map(({ path }) => path) : [],
  };
}

const LOCAL: FetchOptions = { timeoutMs: 60_000 };

interface GitPlace {
  readonly root: string;
  readonly repository: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

interface RunGitOptions {
  readonly source?: Source;
  readonly options?: FetchOptions;
  readonly extra?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly isInit?: boolean;
}

/** In the bare repository, which no work tree configures. @throws {SvcmError} DEPLOY_FAILED */
export async function runGit(place: GitPlace, args: readonly string[], more: RunGitOptions = {}): Promise<string> {
  const { repository, env } = place;
  const { source, options = LOCAL, extra = {}, cwd = repository, isInit = false } = more;
  const own: Readonly<Record<string, string>> = isInit ? {} : { GIT_DIR: repository };
  const result = await runCommand(["git", "--no-pager", ...args], {
    cwd,
    env: { ...gitEnvironment(env, source?.settings ?? []), ...own, ...extra },
    ...options,
  });
  if (result.end === "exit" && result.exitCode === 0) return result.stdout;
  throw ofMachine(place, result, cwd) ?? gitFailure(result, options, source);
}

function ofMachine(place: GitPlace, result: CommandResult, path: string): SvcmError | undefined {
  const lacking = findLacking(result, path);
  return lacking === undefined ? findDamage(place, result) : noSpace("Git", path, lacking);
}

/** When it writes files of a commit, Git gives no reason. */
function findLacking({ lastLines }: CommandResult, path: string): Lacking | undefined {
  const lines = lastLines.filter((line) => !line.startsWith("remote:"));
  const isUnable = lines.some((line) => line.startsWith("error: unable to write file "));
  return lackingIn(lines) ?? (isUnable && readRoom(path).bytes < 2 ** 20 ? "space" : undefined);
}

/** A machine that lost its power may leave empty objects. */
function findDamage({ repository }: GitPlace, { lastLines }: CommandResult): SvcmError | undefined {
  const line = lastLines.find((one) => one.includes(`${repository}/objects/`) && / is (?:empty|corrupt)\b/.test(one));
  if (line === undefined) return undefined;
  return new SvcmError("DEPLOY_IMPOSSIBLE", {
    code: "GIT_FAILED",
    path: repository,
    details: `svcm's copy of the source is damaged: ${line.replace(/^(?:fatal|error): /, "")}.`,
    hint: `Remove it, and the next deploy makes it again: rm -rf ${shellQuote(repository)}`,
  });
}

function gitFailure(
  { end, lastLines }: CommandResult,
  { timeoutMs }: FetchOptions,
  source: Source | undefined,
): SvcmError {
  const reason = lastLines.map((line) => line.replace(/^(?:fatal|error): /, "")).join(" ");
  const details =
    end === "timeout"
      ? `git did not finish within ${timeoutMs / 1000} seconds.`
      : maskCredentials(reason || "git gave no reason.");
  if (source === undefined) return new SvcmError("DEPLOY_IMPOSSIBLE", { code: "GIT_FAILED", details });
  const where = maskCredentials(source.url);
  if (end === "aborted")
    return new SvcmError("DEPLOY_FAILED", {
      code: "DEPLOY_STOPPED",
      details: `It was stopped while git asked ${where}.`,
    });
  return new SvcmError("DEPLOY_IMPOSSIBLE", {
    code: "DEPLOY_FETCH_FAILED",
    details: `${where} could not be fetched: ${details}`,
  });
}

const FIXED_SETTINGS = [
  ["core.hooksPath", "/dev/null"],
  ["core.fsmonitor", "false"],
  ["core.askPass", ""],
  ["core.autocrlf", "false"],
  ["gc.auto", "0"],
  ["protocol.ext.allow", "never"],
  // Without its own program, a pointer stays, and is found.
  ["filter.lfs.smudge", ""],
  ["filter.lfs.process", ""],
  ["filter.lfs.required", "false"],
] as const;

/** As variables, because arguments are visible to other users. A hook sets variables that point Git elsewhere. */
function gitEnvironment(env: GitPlace["env"], settings: Checkout["settings"]): Record<string, string> {
  const kept = Object.entries(env).flatMap(([name, value]) =>
    value === undefined || name.startsWith("GIT_") || name === "SSH_ASKPASS" ? [] : [[name, value] as const],
  );
  const sshCommand = settings.findLast(([name]) => name === "core.sshcommand")?.[1] ?? "ssh";
  const all = [...settings.filter(([name]) => name !== "core.sshcommand"), ...FIXED_SETTINGS];
  const variables = all.flatMap(([name, value], index) => [
    [`GIT_CONFIG_KEY_${index}`, name] as const,
    [`GIT_CONFIG_VALUE_${index}`, value] as const,
  ]);
  return {
    ...Object.fromEntries(kept),
    LC_ALL: "C",
    LANGUAGE: "",
    GIT_TERMINAL_PROMPT: "0",
    GIT_ASKPASS: "",
    SSH_ASKPASS: "",
    GIT_SSH_COMMAND: `${sshCommand} -o BatchMode=yes`,
    GIT_ALLOW_PROTOCOL: "file:git:http:https:ssh",
    GIT_CONFIG_COUNT: String(all.length),
    ...Object.fromEntries(variables),
  };
}
