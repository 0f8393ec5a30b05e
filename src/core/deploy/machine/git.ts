/** Only these commands of Git run, and none in the reach of a work tree's hooks or filters. */
import { mkdir, rm } from "node:fs/promises";
import { existsSync, realpathSync } from "node:fs";
import { gitRunner } from "../../files/git.ts";
import { attemptDeploy } from "./attempt.ts";
import type { Checkout, CommitFacts, DeployGit, NamedCommit } from "../port-deploy-git.ts";
import { listFiles } from "./walk.ts";
import { runGit, type GitPlace, type RunGitOptions } from "./run-git.ts";

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
  for (const [name, commit] of wanted) if (!listed.includes(name)) await own(["update-ref", name, commit]);
  for (const name of listed) if (!wanted.has(name)) await own(["update-ref", "-d", name]);
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
