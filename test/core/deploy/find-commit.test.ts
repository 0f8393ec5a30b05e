/** The commit that a deploy means: of the source, not of the checkout. */
import { expect, test } from "vitest";
import { runGit } from "../../../src/core/deploy/machine/git.ts";
import { SvcmError } from "../../../src/core/api/errors.ts";
import { findCommit, findUnpushed, type FoundCommit } from "../../../src/core/deploy/find-commit.ts";
import type { Checkout, DeployGit, Source } from "../../../src/core/deploy/port-deploy-git.ts";

const [A, B, C] = ["a", "b", "c"].map((letter) => letter.repeat(40)) as [string, string, string];
const ORIGIN: Source = { kind: "remote", url: "https://ann:canary@host/a", remote: "origin", settings: [] };
const OWN: Source = { kind: "path", url: "/srv/app", settings: [] };
const upstream = (remote: string) => ({ remote, branch: "release" });

interface Scene {
  readonly source?: Source;
  readonly upstream?: Checkout["upstream"];
  readonly repository?: Readonly<Record<string, string>>;
  readonly checkout?: Readonly<Record<string, string>>;
  readonly defaultBranch?: string;
  readonly isShallow?: boolean;
}

async function found(revision: string | undefined, scene: Scene): Promise<string> {
  const { source = ORIGIN, repository = {}, checkout = {} } = scene;
  const fetched: (string | undefined)[] = [];
  const git: Partial<DeployGit> = {
    fetch: async ({ commit }) => void fetched.push(commit),
    defaultBranch: async () => scene.defaultBranch,
    isShallow: () => scene.isShallow === true,
    // A commit that the repository has resolves to itself.
    resolve: async (where, name) => {
      const names = where === "checkout" ? checkout : repository;
      return names[name] ?? (where === "repository" && Object.values(repository).includes(name) ? name : undefined);
    },
  };
  const of = { top: "/srv/app", prefix: "", urls: new Map(), upstream: scene.upstream, settings: [] };
  const request = { revision, source, checkout: of };
  const answer = await findCommit(git as DeployGit, request, { timeoutMs: 1 }).catch((error: unknown) => error);
  expect(JSON.stringify(answer)).not.toContain("canary");
  if (answer instanceof SvcmError) return answer.body.code ?? answer.kind;
  const { commit, revision: named } = answer as FoundCommit;
  const unpushed = await findUnpushed(git as DeployGit, request, answer as FoundCommit);
  return [
    commit.slice(0, 1),
    named,
    ...(unpushed === undefined ? [] : [`without ${unpushed.slice(0, 1)}`]),
    ...fetched.flatMap((one) => (one === undefined ? [] : [`fetched ${one.slice(0, 1)}`])),
  ].join(" ");
}

const BRANCHES = { "refs/heads/main": A, "refs/heads/release": B };

test.each<[string, string | undefined, Scene, string]>([
  [
    "the branch that the checkout follows",
    undefined,
    { upstream: upstream("origin"), repository: BRANCHES },
    "b release",
  ],
  [
    "the followed branch, without a commit that was not pushed",
    undefined,
    { upstream: upstream("origin"), repository: BRANCHES, checkout: { HEAD: C } },
    "b release without c",
  ],
  [
    "the followed branch of a shallow clone, which may not have an older commit of the checkout",
    undefined,
    { upstream: upstream("origin"), repository: BRANCHES, checkout: { HEAD: C }, isShallow: true },
    "b release",
  ],
  [
    "the followed branch, which the checkout is behind",
    undefined,
    { upstream: upstream("origin"), repository: BRANCHES, checkout: { HEAD: A } },
    "b release",
  ],
  [
    "a named branch, whose commit in the checkout was not pushed",
    "main",
    { repository: BRANCHES, checkout: { "refs/heads/main": C, main: C } },
    "a main without c",
  ],
  [
    "a named tag, beside an unpushed commit of another branch",
    "v1",
    { repository: { "refs/tags/v1": A }, checkout: { HEAD: C, "refs/heads/main": C } },
    "a v1",
  ],
  [
    "the default branch, if the checkout follows another remote",
    undefined,
    { upstream: upstream("fork"), repository: BRANCHES, defaultBranch: "main" },
    "a main",
  ],
  ["the default branch, if it follows none", undefined, { repository: BRANCHES, defaultBranch: "main" }, "a main"],
  ["no branch", undefined, { repository: BRANCHES }, "REVISION_NOT_FOUND"],
  [
    "a followed branch that is gone, though the checkout has one of its name",
    undefined,
    {
      upstream: upstream("origin"),
      repository: { "refs/heads/trunk": B },
      checkout: { release: B },
      defaultBranch: "trunk",
    },
    "REVISION_NOT_FOUND",
  ],
  ["a branch", "main", { repository: BRANCHES }, "a main"],
  ["a tag", "v1", { repository: { "refs/tags/v1": C } }, "c v1"],
  ["a branch and a tag of one commit", "v1", { repository: { "refs/tags/v1": C, "refs/heads/v1": C } }, "c v1"],
  ["a branch and a tag of two", "v1", { repository: { "refs/tags/v1": C, "refs/heads/v1": A } }, "REVISION_AMBIGUOUS"],
  ["a branch by its remote", "origin/main", { repository: BRANCHES }, "a origin/main"],
  ["a branch of another remote", "fork/main", { repository: BRANCHES }, "REVISION_NOT_FOUND"],
  ["the present commit", "HEAD", { repository: BRANCHES, checkout: { HEAD: B } }, "b HEAD"],
  ["the present commit, not pushed", "HEAD", { repository: BRANCHES, checkout: { HEAD: C } }, "REVISION_NOT_PUBLISHED"],
  ["a branch whose name begins like HEAD", "HEADS", { repository: { "refs/heads/HEADS": A } }, "a HEADS"],
  ["the branch of the source, not of the checkout", "main", { repository: BRANCHES, checkout: { main: C } }, "a main"],
  [
    "a branch of the checkout alone",
    "local",
    { repository: BRANCHES, checkout: { local: C } },
    "REVISION_NOT_PUBLISHED",
  ],
  [
    "a checkout without a remote",
    undefined,
    { source: OWN, repository: { x: C }, checkout: { HEAD: C } },
    "c HEAD fetched c",
  ],
])("%s", async (_what, revision, scene, expected) => {
  expect(await found(revision, scene)).toBe(expected);
});

test.each([
  [[], "ssh"],
  [[["core.sshcommand", "ssh -i a"]], "ssh -i a"],
  [
    [
      ["core.sshcommand", "ssh -i a"],
      ["http.proxy", "http://p"],
      ["core.sshcommand", "ssh -i b"],
    ],
    "ssh -i b",
  ],
] as const)(
  "Git reaches the source with the last ssh of the settings %j, which may ask nothing",
  async (settings, ssh) => {
    const place = { root: "/", repository: "/", env: { PATH: process.env["PATH"], GIT_SSH_COMMAND: "of the caller" } };
    const source: Source = { kind: "remote", url: "x", settings };
    const show = ["-c", "alias.show-ssh=!printenv GIT_SSH_COMMAND", "show-ssh"];
    expect((await runGit(place, show, { source, isInit: true, cwd: "/" })).trim()).toBe(`${ssh} -o BatchMode=yes`);
  },
);
