/** Each kind of change of a real folder, with and without Git, and with and without a record of the start. */
import { appendFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { sampleOrAll } from "../../../support/runs.ts";
import { changes, FILES, makeScene, write, writeWithOldTime, type Scene } from "./scenes.ts";

type Word = "same" | "changed" | "unknown";

interface Case {
  readonly files?: Readonly<Record<string, string>>;
  readonly script?: string;
  /** After the last commit and before the start. */
  readonly before?: (scene: Scene) => void;
  readonly change: (scene: Scene) => void;
  /** Record and Git, record, Git, neither. */
  readonly expected: readonly [Word, Word, Word, Word];
}

const all = (word: Word): Case["expected"] => [word, word, word, word];
const put =
  (path: string, text: string) =>
  ({ root }: Scene): void =>
    writeFileSync(join(root, path), text);

const CASES: Readonly<Record<string, Case>> = {
  nothing: { change: () => undefined, expected: all("same") },
  "a module": { change: put("lib/mod.js", "2"), expected: all("changed") },
  "a module, committed": {
    change: (scene) => {
      put("lib/mod.js", "2")(scene);
      scene.repository?.commit();
    },
    expected: all("changed"),
  },
  "the same content again": { change: put("lib/mod.js", "1"), expected: ["same", "same", "unknown", "changed"] },
  touch: { change: ({ root }) => changes.touch(root), expected: ["same", "same", "unknown", "changed"] },
  chmod: { change: ({ root }) => changes.chmod(root), expected: ["same", "same", "unknown", "unknown"] },
  "checkout of another commit and back": {
    before: (scene) => {
      scene.repository?.git("checkout", "--quiet", "-b", "other");
      if (scene.repository !== undefined) put("lib/mod.js", "2")(scene);
      scene.repository?.commit();
      scene.repository?.git("checkout", "--quiet", "main");
    },
    change: ({ repository }) => {
      repository?.git("checkout", "--quiet", "other");
      repository?.git("checkout", "--quiet", "main");
    },
    expected: ["same", "same", "same", "same"],
  },
  "a hotfix that is taken back": {
    before: put("lib/mod.js", "hotfix"),
    change: put("lib/mod.js", "1"),
    expected: ["changed", "changed", "unknown", "changed"],
  },
  "a hotfix that a reset drops": {
    before: put("lib/mod.js", "hotfix"),
    change: ({ root, repository }) => {
      if (repository === undefined) put("lib/mod.js", "1")({ root } as Scene);
      repository?.git("reset", "--hard", "--quiet");
    },
    expected: ["changed", "changed", "unknown", "changed"],
  },
  "a hotfix that is committed": {
    before: put("lib/mod.js", "hotfix"),
    change: ({ repository }) => repository?.commit(),
    expected: all("same"),
  },
  "other content with an old time": {
    change: ({ root }) => writeWithOldTime(root, "lib/mod.js", "2"),
    expected: ["changed", "changed", "changed", "unknown"],
  },
  "the same content with an old time": {
    change: ({ root }) => writeWithOldTime(root, "lib/mod.js", "1"),
    expected: ["same", "same", "unknown", "unknown"],
  },
  "a new module": { change: put("lib/new.js", "1"), expected: all("changed") },
  "a removed module": {
    files: { ...FILES, "lib/extra.js": "1" },
    change: ({ root }) => changes.remove(root),
    expected: ["changed", "changed", "changed", "unknown"],
  },
  "a build in place": { script: "dist/main.js", change: put("dist/main.js", "2"), expected: all("changed") },
  "a build that was exchanged": {
    files: { ...FILES, ".gitignore": "dist\ndist.next\nnode_modules\n", "dist.next/main.js": "2" },
    script: "dist/main.js",
    change: ({ root }) => changes.exchange(root, "dist"),
    expected: ["changed", "changed", "unknown", "unknown"],
  },
  "sources that were exchanged": {
    files: { ...FILES, ".gitignore": "lib.next\nnode_modules\n", "lib.next/mod.js": "2" },
    change: ({ root }) => changes.exchange(root, "lib"),
    expected: ["changed", "changed", "changed", "unknown"],
  },
  "a log": { change: put("logs/app.log", "x"), expected: all("same") },
  "a line of a log": { change: ({ root }) => appendFileSync(join(root, "logs/old.log"), "x"), expected: all("same") },
  "a log beside the code": { change: put("app.log", "x"), expected: all("same") },
  "an upload": { change: put("uploads/a.html", "x"), expected: all("same") },
  "data of the app that Git does not track": {
    change: put("state.json", "{}"),
    expected: all("same"),
  },
  "data of the app that Git ignores, and that was there": {
    files: { ...FILES, ".gitignore": "local.json\nnode_modules\ndist\n*.log\n", "local.json": "1" },
    change: put("local.json", "2"),
    expected: all("unknown"),
  },
  "another language beside those that were there": {
    files: { ...FILES, "locales/en.json": "1" },
    change: put("locales/fr.json", "1"),
    expected: ["unknown", "unknown", "unknown", "unknown"],
  },
  "the description of the interface": {
    files: { ...FILES, "docs/openapi.yaml": "1" },
    change: put("docs/openapi.yaml", "2"),
    expected: all("unknown"),
  },
  "a table that the app loads": {
    files: { ...FILES, "config/rates.csv": "1" },
    change: put("config/rates.csv", "2"),
    expected: all("unknown"),
  },
  "a module in a folder that is named like a log": {
    files: { ...FILES, "log/index.js": "1" },
    change: put("log/index.js", "2"),
    expected: ["changed", "unknown", "changed", "unknown"],
  },
  "a module in a folder that is named like data": {
    files: { ...FILES, "data/index.js": "1" },
    change: put("data/index.js", "2"),
    expected: ["changed", "unknown", "changed", "unknown"],
  },
  "data in its folder that appears": {
    files: { ...FILES, "data/a.json": "1" },
    change: put("data/b.json", "1"),
    expected: all("same"),
  },
  "a script without a suffix": {
    files: { ...FILES, "bin/www": "1" },
    script: "bin/www",
    change: put("bin/www", "2"),
    expected: all("changed"),
  },
  "a build that a script of another folder loads": {
    files: { ...FILES, "bin/start.js": "1" },
    script: "bin/start.js",
    change: put("dist/main.js", "2"),
    expected: ["unknown", "changed", "unknown", "changed"],
  },
  "settings in a language of their own": {
    files: { ...FILES, "config/app.ini": "1" },
    change: put("config/app.ini", "2"),
    expected: ["changed", "unknown", "changed", "unknown"],
  },
  "the folder of the logs, as PM2 creates it": {
    files: { "server.js": "1" },
    change: ({ root }) => write(root, { "logs/out.log": "x" }),
    expected: all("same"),
  },
  "a tracked file that the app writes while it starts": { change: put("db.json", "{ }"), expected: all("unknown") },
  "a page": { change: put("README.md", "x"), expected: all("same") },
  "the same install again": {
    change: put("node_modules/.package-lock.json", "{}"),
    expected: ["same", "same", "unknown", "changed"],
  },
  "the lockfile of Deno": {
    files: { ...FILES, "deno.lock": "{}" },
    change: put("deno.lock", "{ }"),
    expected: all("changed"),
  },
  "another install": {
    change: ({ root }) => write(root, { "package-lock.json": "{ }", "node_modules/.package-lock.json": "{ }" }),
    expected: all("changed"),
  },
};

const WAYS = [
  [true, true],
  [false, true],
  [true, false],
  [false, false],
] as const;
const rows = Object.entries(CASES).flatMap(([name, one]) =>
  WAYS.map(([hasGit, hasRecord], at) => [name, hasGit, hasRecord, one, one.expected[at] ?? "same"] as const),
);

describe("a change of the folder", () => {
  test.each(
    sampleOrAll(
      rows,
      // Each kind in one way, and all four ways in turn. The decision itself is in decide-code.test.ts.
      rows.filter((_, at) => at % WAYS.length === Math.floor(at / WAYS.length) % WAYS.length),
    ),
  )("%s, Git: %s, record: %s", async (_name, hasGit, hasRecord, { files, script, before, change }, expected) => {
    const scene = makeScene(hasGit, files);
    before?.(scene);
    const request = await scene.start(script === undefined ? {} : { script: join(scene.root, script) });
    if (hasRecord) expect(await scene.verdict(request)).toBe("same");
    change(scene);
    scene.moveHeadLater();
    const text = await scene.verdict(request);
    expect(text.split(/[ :]/)[0], text).toBe(expected);
  });
});

test("of a folder that cannot be read whole, a script that was written again is a change", async () => {
  const scene = makeScene(false);
  const request = await scene.start();
  const before = await scene.verdict(request, 0);
  write(scene.root, { "server.js": "2" });
  expect([before.slice(0, 7), await scene.verdict(request, 0)]).toEqual([
    "unknown",
    `changed stale: ${request.script}`,
  ]);
});

test.each([
  ["with uncommitted changes, the code is in no commit", true, "changed stale: lib/mod.js"],
  ["as its commit, the code is in it", false, expect.stringMatching(/^changed different: \w{7} to \w{7}, 1 file$/)],
])("of an app that was started %s", async (_name, isDirty, expected) => {
  const scene = makeScene(true);
  if (isDirty) write(scene.root, { "lib/mod.js": "not committed" });
  const request = await scene.start();
  expect(await scene.verdict(request)).toBe("same");
  write(scene.root, { "lib/mod.js": "2" });
  scene.repository?.git("commit", "--quiet", "--all", "--message", "two");
  scene.moveHeadLater();
  expect(await scene.verdict(request)).toEqual(expected);
});

test("after a commit of other files, such as svcm.yaml, the code of the start is still in a commit", async () => {
  const scene = makeScene(true);
  const request = await scene.start();
  scene.repository?.write("svcm.yaml", "version: 1\n");
  scene.repository?.commit();
  scene.moveHeadLater();
  expect(await scene.verdict(request)).toBe("same");
  write(scene.root, { "lib/mod.js": "2" });
  scene.repository?.commit();
  expect(await scene.verdict(request)).toMatch(/^changed different: \w{7} to \w{7}, 1 file$/);
  write(scene.root, { "node_modules/left-pad/index.js": "2", "extra.js": "1" });
  expect(await scene.verdict(request)).toMatch(/^changed different: /);
});

test("a module that was untracked at the start, and committed with other content, is in no commit", async () => {
  const scene = makeScene(true);
  write(scene.root, { "extra.js": "1" });
  const request = await scene.start();
  expect(await scene.verdict(request)).toBe("same");
  write(scene.root, { "extra.js": "2" });
  scene.repository?.commit();
  scene.moveHeadLater();
  expect(await scene.verdict(request)).toBe("changed stale: extra.js");
});

test("a change of source code without a new build is not what a restart would run", async () => {
  const scene = makeScene(true);
  const request = await scene.start({ script: join(scene.root, "dist/main.js") });
  write(scene.root, { "src/server.ts": "2" });
  expect(await scene.verdict(request)).toBe("changed stale: src/server.ts; dist has not changed");
  write(scene.root, { "dist/main.js": "2" });
  expect(await scene.verdict(request)).toBe("changed stale: 2 files: dist/main.js, src/server.ts");
});

test("a page of Next.js without a new build is not what a restart would run, unless it is a development server", async () => {
  const [next, page] = ["node_modules/next/dist/bin/next", "app/page.js"];
  const files = {
    ...FILES,
    ".gitignore": "node_modules\n.next\n",
    [next]: "1",
    [page]: "1",
    ".next/server/page.js": "1",
  };
  const scene = makeScene(true, files);
  const script = join(scene.root, next);
  const [served, developed] = [await scene.start({ script }), await scene.start({ script, exclude: [".next"] })];
  write(scene.root, { [page]: "2" });
  expect(await scene.verdict(served)).toBe("changed different: app/page.js; .next has not changed");
  expect(await scene.verdict(developed)).toBe("changed different: app/page.js");
  write(scene.root, { ".next/server/page.js": "2" });
  expect(await scene.verdict(served)).toBe("changed stale: 2 files: .next/server/page.js, app/page.js");
});
