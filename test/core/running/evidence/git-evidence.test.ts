/** The answers of a repository about the files that are newer than a process; files are real, and its commits are lists. */
import { symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { askGit, notInCommit, type GitQuestion } from "../../../../src/core/running/evidence/git-evidence.ts";
import { blobDigest } from "../../../../src/core/running/evidence/record-store.ts";
import type { HeadMove } from "../../../../src/core/running/evidence/repository.ts";
import type { WalkedEntry } from "../../../../src/core/running/evidence/walk.ts";
import { temporaryFolder } from "../../../support/temporary-folder.ts";
import { A, B, record } from "../code-evidence.ts";
import { write } from "./scenes.ts";

const STARTED = 1_700_000_000_400;
const SECOND = 1_700_000_000_000;
const NONE = "0".repeat(40);
const OTHER = "f".repeat(40);

interface World {
  /** The work tree. */
  readonly files: Readonly<Record<string, string>>;
  readonly newer: readonly string[];
  readonly gone?: readonly string[];
  /** The commits, by id, with the texts of their files. */
  readonly commits: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly head?: string | null;
  readonly moves?: readonly Partial<HeadMove>[];
  readonly versioning?: GitQuestion["process"]["versioning"];
  readonly ignored?: readonly string[];
  readonly outside?: readonly string[];
  readonly lockfiles?: readonly string[];
  readonly age?: ReturnType<GitQuestion["ageOf"]>;
  readonly own?: readonly string[];
}

/** A path that ends with `/` is a folder. */
function questionOf(world: World): GitQuestion & { readonly queries: (readonly string[])[] } {
  const folder = temporaryFolder();
  const texts = temporaryFolder();
  write(folder, world.files);
  const idOf = (text: string): string => {
    write(texts, { text });
    return blobDigest(join(texts, "text"), "file", "sha1");
  };
  const entryOf = (name: string): WalkedEntry => {
    const path = name.replace(/\/$/, "");
    const times = { size: 1, ino: 1, modifiedMs: STARTED + 5, changedMs: STARTED + 5, bornMs: 0 };
    const isOutside = world.outside?.includes(path) === true;
    return { path, absolute: join(folder, path), kind: name.endsWith("/") ? "folder" : "file", isOutside, ...times };
  };
  const folders = Object.keys(world.files).map((path) => `${dirname(path)}/`);
  const present = [...new Set([...Object.keys(world.files), ...folders])].map(entryOf);
  const rules = {
    named: new Set<string>(),
    others: new Set<string>(),
    scriptFolder: "",
    include: [],
    exclude: [],
    own: new Set(world.own),
  };
  const queries: (readonly string[])[] = [];
  const move = { from: NONE, to: A, atMs: SECOND - 60_000, isReset: false };
  return {
    queries,
    folder,
    imports: [],
    sinceMs: STARTED,
    process: { pmId: 0, pid: 1, startedAt: STARTED, versioning: world.versioning ?? null },
    unit: {
      rules,
      walk: { entries: present, problem: null, venvs: [] },
      files: present.filter(({ kind }) => kind !== "folder"),
      install: {
        lockfiles: (world.lockfiles ?? []).map((name) => join(folder, name)),
      } as unknown as GitQuestion["unit"]["install"],
    },
    repository: {
      head: () => (world.head === undefined ? A : world.head),
      moves: () => (world.moves ?? [{}]).map((more) => ({ ...move, ...more })),
      tree: async (commit) => {
        const texted = world.commits[commit];
        if (texted === undefined) throw new Error("no such commit");
        return new Map(Object.entries(texted).map(([path, text]) => [path, idOf(text)]));
      },
      ignored: async (paths) => {
        queries.push(paths);
        return new Set(world.ignored);
      },
    },
    newer: world.newer.map(entryOf),
    gone: world.gone ?? [],
    ageOf: () => world.age ?? "old",
  };
}

const ask = (world: World) => askGit(questionOf(world));
const written = { files: { "a.js": "2", "b.js": "1" }, newer: ["a.js"] };

test("a file that was written differs from the commit of the start, and is not committed", async () => {
  expect(await ask({ ...written, commits: { [A]: { "a.js": "1", "b.js": "1" } } })).toMatchObject({
    git: {
      commit: A,
      now: A,
      wasClean: false,
      isAmbiguous: false,
      isCommitGone: false,
      changed: ["a.js"],
      committed: [],
    },
    newer: [{ path: "a.js", kind: "file", isModified: true, git: "tracked", isAsCommitted: false }],
  });
});

test("a file that was touched, or written back, is as committed", async () => {
  const answer = await ask({ ...written, commits: { [A]: { "a.js": "2", "b.js": "1" } } });
  expect(answer).toMatchObject({ git: { changed: [] }, newer: [{ path: "a.js", isAsCommitted: true }] });
});

test("a change that a later commit has is a committed one, and its time is known", async () => {
  const commits = { [A]: { "a.js": "1" }, [B]: { "a.js": "2" } };
  const moves = [{}, { from: A, to: B, atMs: SECOND + 9000 }];
  expect((await ask({ ...written, commits, moves, head: B }))?.git).toMatchObject({
    commit: A,
    now: B,
    changed: ["a.js"],
    committed: ["a.js"],
    movesMs: [SECOND + 9000],
  });
  const removed = { [A]: { "a.js": "1" }, [B]: {} };
  expect((await ask({ ...written, commits: removed, moves, head: B }))?.git.changed).toEqual(["a.js"]);
});

test("after a reset nothing is said of the moves, because the process may run what it dropped", async () => {
  const moves = [{}, { from: A, to: A, atMs: SECOND + 9000 }, { from: A, to: A, atMs: SECOND + 9001, isReset: true }];
  expect((await ask({ ...written, commits: { [A]: {} }, moves }))?.git.movesMs).toEqual([]);
});

test("a commit of the start that the repository no longer has is gone, and one without commits has no answer", async () => {
  const moves = [{ to: OTHER }];
  const answer = await ask({ ...written, commits: { [A]: { "a.js": "2" } }, moves });
  expect(answer?.git).toMatchObject({ commit: OTHER, isCommitGone: true, changed: [] });
  expect(answer?.newer).toMatchObject([{ path: "a.js", git: "tracked", isAsCommitted: false }]);
  expect(await ask({ ...written, commits: {}, head: null })).toBeUndefined();
  const none = await ask({ ...written, commits: { [A]: { "a.js": "1" } }, moves: [] });
  expect(none?.git).toMatchObject({ commit: null, isCommitGone: false, changed: [] });
});

test("two commits within the second of the start are ambiguous only if one of them is what is in place", async () => {
  const moves = [{}, { from: A, to: B, atMs: SECOND }];
  const ambiguous = { [A]: { "a.js": "2" }, [B]: { "a.js": "1" } };
  expect((await ask({ ...written, moves, head: B, commits: ambiguous }))?.git.isAmbiguous).toBe(true);
  const neither = { [A]: { "a.js": "0" }, [B]: { "a.js": "1" } };
  expect((await ask({ ...written, moves, head: B, commits: neither }))?.git.isAmbiguous).toBe(false);
  expect((await ask({ ...written, moves, head: B, commits: { [B]: { "a.js": "2" } } }))?.git.isAmbiguous).toBe(false);
});

test.each([
  ["is that of the start, also if the log of Git begins later", [], true, { commit: B, wasClean: true }],
  ["with changes does not make a clean start", [{}], false, { commit: B, wasClean: false }],
  ["is not used if HEAD moved in that second", [{}, { from: A, to: A, atMs: SECOND }], true, { commit: A }],
  [
    "is not used if HEAD moved before PM2 had read it",
    [{}, { from: A, to: B, atMs: STARTED + 1500 }],
    true,
    { commit: A },
  ],
  ["is that of the start if HEAD moved later", [{}, { from: A, to: B, atMs: STARTED + 1501 }], false, { commit: B }],
])("the commit that PM2 recorded %s", async (_what, moves, isClean, expected) => {
  const versioning = { revision: B, isDirty: !isClean };
  const answer = await ask({ ...written, commits: { [A]: {}, [B]: {} }, head: B, moves, versioning });
  expect(answer?.git).toMatchObject({ wasClean: false, ...expected });
});

test("a removed file is a change if its folder is newer, and so is one of a removed folder", async () => {
  const commits = {
    [A]: { "lib/a.js": "1", "lib/b.js": "1", "lib/deep/c.js": "1", "old/d.js": "1", "lib/a.log": "1" },
  };
  const files = { "lib/a.js": "1" };
  expect((await ask({ files, commits, newer: ["lib/"] }))?.git.changed).toEqual(["lib/b.js", "lib/deep/c.js"]);
  expect((await ask({ files, commits, newer: [] }))?.git.changed).toEqual([]);
  expect((await ask({ files, commits, newer: ["/"] }))?.git.changed).toEqual(["old/d.js"]);
});

test("a recorded file that is gone is a change if the commit has it as code", async () => {
  const [commits, gone] = [{ [A]: { "a.js": "1", "notes.md": "1" } }, ["a.js", "b.js", "notes.md"]];
  expect((await ask({ files: {}, commits, newer: [], gone }))?.git.changed).toEqual(["a.js"]);
});

test("a folder that took the place of another one is compared with the commit, file by file", async () => {
  const files = { "lib/api/a.js": "2", "lib/api/b.js": "1", "lib/other/c.js": "2", "lib/api/a.log": "2" };
  const commits = { [A]: { "lib/api/a.js": "1", "lib/api/b.js": "1", "lib/other/c.js": "1", "lib/api/a.log": "1" } };
  expect((await ask({ files, commits, newer: ["lib/", "lib/api/"] }))?.git.changed).toEqual(["lib/api/a.js"]);
  expect((await ask({ files, commits, newer: ["lib/api/"] }))?.git.changed).toEqual([]);
});

test("Git is queries only for files that it does not track and that are in the repository", async () => {
  const files = { "a.js": "1", "b.js": "1", "c.js": "1", "node_modules/own/d.js": "1" };
  const question = questionOf({
    files,
    newer: ["a.js", "b.js", "c.js", "node_modules/own/d.js", "lib/"],
    outside: ["c.js"],
    gone: ["gone.js"],
    ignored: ["b.js"],
    commits: { [A]: { "a.js": "1" } },
  });
  const answer = await askGit(question);
  expect(question.queries).toEqual([["b.js", "gone.js"]]);
  expect(answer?.newer.map(({ path, git }) => [path, git])).toContainEqual(["a.js", "tracked"]);
  expect(answer?.newer.some(({ path, git }) => path === "b.js" && git === "ignored")).toBe(
    answer?.weightOf("b.js") === "code",
  );
});

test("data beside the code counts as code only while it is as committed, or no app rewrites it", async () => {
  const world = { files: { "db.json": "2" }, newer: ["db.json"], age: "rewritten" } as const;
  const changed = await ask({ ...world, commits: { [A]: { "db.json": "1" } } });
  expect([changed?.weightOf("db.json"), changed?.doubts]).toEqual(["doubtful", ["db.json"]]);
  const same = await ask({ ...world, commits: { [A]: { "db.json": "2" } } });
  expect([same?.weightOf("db.json"), same?.doubts]).toEqual(["code", []]);
  const own = await ask({ ...world, own: ["db.json"], commits: { [A]: { "db.json": "1" } } });
  expect([own?.weightOf("db.json"), own?.newer]).toEqual(["none", []]);
});

test("a doubtful file that is as in the commit of the start leaves no doubt", async () => {
  const world = { files: { "docs/api.json": "2" }, newer: ["docs/api.json"] };
  expect((await ask({ ...world, commits: { [A]: { "docs/api.json": "2" } } }))?.doubts).toEqual([]);
  expect((await ask({ ...world, commits: { [A]: { "docs/api.json": "1" } } }))?.doubts).toEqual(["docs/api.json"]);
});

test("a newer folder has untracked code if Git tracks none of it, or if the code is directly in it", async () => {
  const folderOf = async (files: Record<string, string>, tracked: Record<string, string>) =>
    (await ask({ files, newer: ["lib/"], commits: { [A]: tracked } }))?.newer;
  expect(await folderOf({ "lib/deep/a.js": "1" }, {})).toMatchObject([
    { path: "lib", kind: "folder", hasUntracked: true },
  ]);
  const tracked = { "lib/b.js": "1" };
  expect(await folderOf({ "lib/deep/a.js": "1", ...tracked }, tracked)).toMatchObject([{ hasUntracked: false }]);
  expect(await folderOf({ "lib/a.js": "1", ...tracked }, tracked)).toMatchObject([{ hasUntracked: true }]);
  expect(await folderOf({ "lib/a.log": "1", ...tracked }, tracked)).toMatchObject([{ hasUntracked: false }]);
  expect(await folderOf({ "other/a.js": "1", ...tracked }, tracked)).toMatchObject([{ hasUntracked: false }]);
});

test("lockfiles are as committed only if there is one, and all of them are", async () => {
  const lockedIn = async (commit: Record<string, string>, lockfiles: string[]) =>
    (
      await ask({
        files: { "package-lock.json": "1", "yarn.lock": "1" },
        newer: [],
        lockfiles,
        commits: { [A]: commit },
      })
    )?.isLockfileAsCommitted;
  const both = ["package-lock.json", "yarn.lock"];
  expect(await lockedIn({ "package-lock.json": "1", "yarn.lock": "1" }, both)).toBe(true);
  expect(await lockedIn({ "package-lock.json": "1", "yarn.lock": "2" }, both)).toBe(false);
  expect(await lockedIn({ "package-lock.json": "1" }, both)).toBe(false);
  expect(await lockedIn({}, [])).toBe(false);
});

test("a link is compared by where it leads, and a file that cannot be read is not the same", async () => {
  const question = questionOf({ ...written, commits: { [A]: { "b.js": "1" } } });
  symlinkSync("a.js", join(question.folder, "link.js"));
  const [entry] = question.newer;
  const link: WalkedEntry = { ...entry!, path: "link.js", absolute: join(question.folder, "link.js"), kind: "link" };
  const gone: WalkedEntry = { ...entry!, path: "gone.js", absolute: join(question.folder, "gone.js") };
  const tree = async () =>
    new Map([
      ["link.js", blobDigest(link.absolute, "link", "sha1")],
      ["gone.js", OTHER],
    ]);
  const answer = await askGit({ ...question, newer: [link, gone], repository: { ...question.repository, tree } });
  expect(answer?.git.changed).toEqual(["gone.js"]);
  const long = async () => new Map([["link.js", blobDigest(link.absolute, "link", "sha256")]]);
  const sha256 = await askGit({ ...question, newer: [link], repository: { ...question.repository, tree: long } });
  expect(sha256?.git.changed).toEqual([]);
});

test("of the recorded files, those are not in the commit that it lacks or has with another content", async () => {
  const code = new Map([
    ["a.js", A],
    ["b.js", A],
    ["c.js", A],
    ["d.js", A],
  ]);
  const tree = async () =>
    new Map([
      ["a.js", A],
      ["b.js", B],
      ["d.js", "1".repeat(64)],
    ]);
  const place = { folder: "/srv", imports: [], repository: { tree } };
  const ask1 = async (commit: string | null, more: object = {}) => [
    ...(await notInCommit({ ...record, code, commit }, { ...place, ...more })),
  ];
  expect(await ask1(A)).toEqual(["b.js", "c.js"]);
  const all = [...code.keys()];
  expect(await ask1(null)).toEqual(all);
  expect(await ask1(A, { folder: undefined })).toEqual(all);
  expect(await ask1(A, { repository: undefined })).toEqual(all);
  expect(await ask1(A, { repository: { tree: async () => await Promise.reject(new Error("gone")) } })).toEqual(all);
});
