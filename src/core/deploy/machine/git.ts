/** Only these commands of Git run, and none in the reach of a work tree's hooks or filters. */
import { mkdir, rm } from "node:fs/promises";
import { existsSync, realpathSync } from "node:fs";
import { SvcmError } from "../../api/errors.ts";
import { gitRunner } from "../../files/git.ts";
import { maskCredentials } from "../../secrets/redact.ts";
import { attemptDeploy } from "./attempt.ts";
import type { Checkout, CommitFacts, DeployGit, FetchOptions, Source } from "../port-deploy-git.ts";
import { runCommand } from "./run-command.ts";

interface GitPlace {
  readonly root: string;
  readonly repository: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

const MAX_BYTES = 64 * 2 ** 20;
const LOCAL_MS = 60_000;
const REVISION = /^(?!-)[^\p{Cc}\p{Zl}\p{Zp}]{1,1000}$/u;
const MAX_POINTER_BYTES = 1024;

export function deployGit(place: GitPlace): DeployGit {
  const { root, repository, env } = place;
  const inCheckout = gitRunner({ root, env });
  const ask = async (...args: string[]): Promise<string | undefined> =>
    inCheckout(MAX_BYTES, args).then(
      (bytes) => bytes.toString("utf8").trim(),
      () => undefined,
    );
  const own = (args: readonly string[], more: Partial<OwnOptions> = {}) => runOwn(place, args, more);
  return {
    readCheckout: () => readCheckout(inCheckout, ask),
    async fetch(source, options) {
      if (!existsSync(`${repository}/HEAD`)) {
        await attemptDeploy(repository, () => mkdir(repository, { recursive: true, mode: 0o700 }));
        await own(["init", "--bare", "--quiet", "--", repository], { isInit: true });
      }
      const refs = [
        "+refs/heads/*:refs/heads/*",
        "+refs/tags/*:refs/tags/*",
        ...(source.commit ? [source.commit] : []),
      ];
      await own([...FETCH, "--", source.url, ...refs], { source, options });
    },
    async defaultBranch(source, options) {
      const text = await own(["ls-remote", "--symref", "--", source.url, "HEAD"], { source, options });
      return /^ref: refs\/heads\/(\S+)\s+HEAD$/m.exec(text)?.[1];
    },
    async resolve(where, revision) {
      if (!REVISION.test(revision)) return undefined;
      const parse = async (name: string): Promise<string | undefined> => {
        const args = ["rev-parse", "--verify", "--quiet", "--end-of-options", name];
        return where === "checkout"
          ? ask(...args)
          : own(args).then(
              (text) => text.trim(),
              () => undefined,
            );
      };
      const found = await parse(revision);
      const commit = found === undefined ? undefined : await parse(`${found}^{commit}`);
      return commit !== undefined && /^[0-9a-f]{40,64}$/.test(commit) ? commit : undefined;
    },
    readCommit: (commit) => readCommit(own, commit),
    async write(commit, folder, index) {
      const extra = { GIT_INDEX_FILE: index, GIT_WORK_TREE: folder };
      try {
        await own(["read-tree", commit], { extra });
        await own(["checkout-index", "--all", "--quiet"], { extra, cwd: folder });
      } finally {
        await rm(index, { force: true });
      }
    },
    async keep(commits) {
      const listed = (await own(["for-each-ref", "--format=%(refname)", KEPT_REFS])).split("\n").filter(Boolean);
      const wanted = new Map([...commits].map(([id, commit]) => [`${KEPT_REFS}${id}`, commit]));
      for (const [name, commit] of wanted) if (!listed.includes(name)) await own(["update-ref", name, commit]);
      for (const name of listed) if (!wanted.has(name)) await own(["update-ref", "-d", name]);
    },
    async listUncommitted() {
      const quiet = ["-c", "core.fsmonitor=false"];
      const lists = await Promise.all([
        ask(...quiet, "ls-files", "-z", "-o", "-i", "--exclude-standard", "--directory"),
        ask(...quiet, "ls-files", "-z", "-o", "--exclude-standard", "--directory"),
        ask(...quiet, "diff-files", "-z", "--name-only", "--no-ext-diff", "--no-textconv", "--relative"),
      ]);
      return [...new Set(lists.flatMap((text) => (text ?? "").split("\0")).filter(Boolean))].toSorted();
    },
  };
}

const KEPT_REFS = "refs/svcm/";
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

interface OwnOptions {
  readonly source: Source;
  readonly options: FetchOptions;
  readonly extra: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly isInit: boolean;
}

async function runOwn(
  { repository, env }: GitPlace,
  args: readonly string[],
  more: Partial<OwnOptions>,
): Promise<string> {
  const { source, options, extra = {}, cwd = repository, isInit = false } = more;
  const result = await runCommand(["git", "--no-pager", ...args], {
    cwd,
    env: { ...gitEnvironment(env, source?.settings ?? []), ...(isInit ? {} : { GIT_DIR: repository }), ...extra },
    timeoutMs: options?.timeoutMs ?? LOCAL_MS,
    signal: options?.signal,
  });
  if (result.end === "exit" && result.exitCode === 0) return result.stdout;
  const reason = result.lastLines.map((line) => line.replace(/^(?:fatal|error): /, "")).join(" ");
  const details =
    result.end === "timeout"
      ? `git did not finish within ${(options?.timeoutMs ?? LOCAL_MS) / 1000} seconds.`
      : maskCredentials(reason || "git gave no reason.");
  const code = source === undefined ? "GIT_FAILED" : "DEPLOY_FETCH_FAILED";
  const where = source === undefined ? "" : `${maskCredentials(source.url)} could not be fetched: `;
  throw new SvcmError("DEPLOY_FAILED", { code, details: `${where}${details}` });
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

async function readCommit(own: (args: readonly string[]) => Promise<string>, commit: string): Promise<CommitFacts> {
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
