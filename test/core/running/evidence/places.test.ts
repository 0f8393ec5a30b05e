/** The place of the code: links, work trees, packages of a workspace, and what a record counts for. */
import { chmodSync, lstatSync, mkdirSync, readdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { changes, FILES, makeScene, untilClear, write, type Scene } from "./scenes.ts";
import { longTest } from "../../../support/runs.ts";

function relink(root: string, target: string): void {
  symlinkSync(target, join(root, "next"));
  renameSync(join(root, "next"), join(root, "current"));
}

const RELEASES = { "releases/1/server.js": "1", "releases/2/server.js": "2", "releases/2/package.json": "{}" };

function releases(): Scene {
  const scene = makeScene(false, RELEASES);
  relink(scene.root, "releases/2");
  return scene;
}

test.each([true, false])("a link that leads back to an older release is a change, record: %s", async (hasRecord) => {
  const scene = releases();
  const request = await scene.start({ cwd: join(scene.root, "current") });
  if (hasRecord) expect(await scene.verdict(request)).toBe("same");
  relink(scene.root, "releases/1");
  expect(await scene.verdict(request)).toBe("changed different: releases/2 to releases/1");
});

test.each([true, false])("a link between the folder and the script counts, too, record: %s", async (hasRecord) => {
  const scene = releases();
  const request = await scene.start({ script: join(scene.root, "current/server.js") });
  if (hasRecord) expect(await scene.verdict(request)).toBe("same");
  // A release that no process runs does not count.
  write(scene.root, { "releases/3/server.js": "3" });
  expect(await scene.verdict(request)).toBe("same");
  relink(scene.root, "releases/1");
  expect(await scene.verdict(request)).toMatch(/^changed different: .*releases\/1/);
});

test("a release that was removed is gone", async () => {
  const scene = releases();
  const request = await scene.start({ cwd: join(scene.root, "current") });
  relink(scene.root, "releases/1");
  rmSync(join(scene.root, "releases/2"), { recursive: true });
  expect(await scene.verdict(request)).toBe("changed absent: it runs in a folder that was deleted");
});

test("a package that a link of the workspace leads to is code, and an installed one is not", async () => {
  const scene = makeScene(false, {
    "apps/api/package.json": JSON.stringify({ dependencies: { mail: "*", pad: "*" } }),
    "apps/api/server.js": "",
    "packages/mail/package.json": JSON.stringify({ dependencies: { text: "*" } }),
    "packages/mail/index.js": "1",
    "packages/text/package.json": "{}",
    "packages/text/index.js": "1",
    "packages/other/index.js": "1",
    "node_modules/.pnpm/pad@1/node_modules/pad/index.js": "1",
  });
  const modules = join(scene.root, "node_modules");
  symlinkSync("../packages/mail", join(modules, "mail"));
  symlinkSync("../packages/text", join(modules, "text"));
  symlinkSync(".pnpm/pad@1/node_modules/pad", join(modules, "pad"));
  const request = await scene.start({ cwd: join(scene.root, "apps/api") });
  expect(await scene.verdict(request)).toBe("same");
  write(scene.root, { "packages/other/index.js": "2", "node_modules/.pnpm/pad@1/node_modules/pad/index.js": "2" });
  expect(await scene.verdict(request)).toBe("same");
  write(scene.root, { "packages/text/index.js": "2" });
  expect(await scene.verdict(request)).toBe("changed stale: ../../packages/text/index.js");
});

longTest("the code of a wrapper such as npm is that of its folder", async () => {
  const scene = makeScene(true);
  const request = await scene.start({ script: "/usr/bin/npm" });
  expect(await scene.verdict(request)).toBe("same");
  write(scene.root, { "dist/main.js": "2" });
  expect(await scene.verdict(request)).toBe("changed stale: dist/main.js");
});

test("code.exclude leaves out what would count, and code.include counts what would not", async () => {
  const scene = makeScene(false);
  const request = await scene.start({ exclude: ["db.json"], include: ["prompts/**", "README.md"] });
  write(scene.root, { "db.json": "{ }" });
  expect(await scene.verdict(request)).toBe("same");
  write(scene.root, { "README.md": "new" });
  expect(await scene.verdict(request)).toBe("changed stale: README.md");
});

/** Behind a link that leads out of the folder, as in `shared` beside the releases. */
function shared(hasGit: boolean): Scene {
  const scene = makeScene(hasGit, { "server.js": "1" });
  write(scene.home, { "views/page.ejs": "1", "app.js": "1", "rates.json": "1", "uploads/a.js": "1", "first.js": "1" });
  for (const [link, target] of Object.entries({
    views: "views",
    "settings.js": "app.js",
    "rates.json": "rates.json",
    uploads: "uploads",
  }))
    symlinkSync(join(scene.home, target), join(scene.root, link));
  scene.repository?.commit();
  return scene;
}

longTest.each([
  [true, true],
  [true, false],
  [false, true],
  [false, false],
])("what a link leads to is code, Git: %s, record: %s", async (hasGit, hasRecord) => {
  for (const [path, name, expected] of [
    ["views/page.ejs", "views/page.ejs", /^changed stale: /],
    ["app.js", "./settings.js", /^changed stale: /],
    ["rates.json", "./rates.json", /^unknown: /],
    ["uploads/a.js", "", /^same$/],
  ] as const) {
    const scene = shared(hasGit);
    const request = await scene.start();
    if (hasRecord) expect(await scene.verdict(request)).toBe("same");
    write(scene.home, { [path]: "2" });
    const verdict = await scene.verdict(request);
    expect(verdict, path).toMatch(expected);
    expect(verdict).toContain(name);
  }
});

longTest.each([true, false])("what the declaration loads is code, wherever it lies, record: %s", async (hasRecord) => {
  for (const path of ["first.js", "lib/mod.js", "run"]) {
    const scene = makeScene(true, { "server.js": "1" });
    write(scene.home, { "first.js": "1", "lib/mod.js": "1", run: "1" });
    const [first = "", lib = "", run = ""] = ["first.js", "lib", "run"].map((name) => join(scene.home, name));
    const request = await scene.start({ loads: { files: [first, run, "/usr/bin/env"], folders: [lib, "/nowhere"] } });
    if (hasRecord) expect(await scene.verdict(request)).toBe("same");
    write(scene.home, { [path]: "2" });
    expect(await scene.verdict(request), path).toMatch(/^changed stale: /);
  }
});

test("the ecosystem file beside the code is not code, although names change beside it", async () => {
  const scene = makeScene(true, { "server.js": "1", "ecosystem.config.js": "1", "README.md": "1" });
  const request = await scene.start({ others: [join(scene.root, "ecosystem.config.js")] });
  rmSync(join(scene.root, "README.md"));
  expect(await scene.verdict(request)).toBe("same");
});

test("a folder that code.exclude names is not read", async () => {
  const scene = makeScene(false, { "server.js": "1" });
  symlinkSync("/nowhere", join(scene.root, "broken"));
  symlinkSync(scene.root, join(scene.root, "again"));
  const request = await scene.start({ exclude: ["media"] });
  write(scene.root, { "media/a.js": "1" });
  expect(await scene.verdict(request)).not.toContain("media");
});

test.each(["docs/prompts", "data/prompts", "logs"])(
  "an included folder %s that was exchanged is a change, and what appears elsewhere is not",
  async (folder) => {
    const scene = makeScene(false, { "server.js": "1", [`${folder}/a.txt`]: "1", [`${folder}.next/a.txt`]: "2" });
    const request = await scene.start({ include: [`${folder}/**`] });
    expect(await scene.verdict(request)).toBe("same");
    changes.exchange(scene.root, folder);
    expect(await scene.verdict(request)).toContain(`changed stale: ${folder}/a.txt`);
  },
);

test("after a start by svcm, what the app wrote first does not hide that its code is known", async () => {
  const scene = makeScene(false, { "server.js": "1" });
  const before = await scene.start();
  expect(await scene.verdict({ ...before, processes: [] })).toBe("undefined");
  const request = await scene.start();
  await untilClear();
  write(scene.root, { "logs/out.log": "x", "state.json": "1" });
  expect(await scene.verdict(request)).toBe("same");
  write(scene.root, { "state.json": "2", "server.js": "2" });
  expect(await scene.verdict(request)).toBe("changed stale: server.js");
});

test("a file that svcm init writes beside the code after the start leaves no doubt later", async () => {
  const scene = makeScene(true);
  const request = await scene.start();
  await untilClear();
  write(scene.root, { "svcm.yaml": "version: 1\n", ".gitignore": `${FILES[".gitignore"]}.svcm/\n` });
  const { verdicts, records } = await scene.look(request);
  expect([verdicts.get(0), records.size]).toEqual([{ verdict: "same" }, 1]);
  await untilClear();
  write(scene.root, { "lib/mod.js": "2" });
  expect(await scene.verdict(request)).toBe("changed different: lib/mod.js");
  write(scene.root, { "lib/mod.js": "1" });
  expect(await scene.verdict(request)).toBe("same");
});

test("a record counts only for its boot, pid and start", async () => {
  const scene = makeScene(false);
  const request = await scene.start();
  const { records } = await scene.look(request);
  expect(records.get(0)).toMatchObject({ app: "shop", cwd: scene.root, commit: null, envFiles: {} });
  write(scene.root, { "lib/mod.js": "2" });
  // After a restart by PM2 itself, the process runs what is there now.
  const later = await scene.start();
  expect(await scene.verdict(later)).toBe("same");
  expect(await scene.verdict(request)).toBe("changed stale: lib/mod.js");
});

test("a record is private, and is gone after its process", async () => {
  const scene = makeScene(false);
  await scene.look(await scene.start());
  const [service = ""] = readdirSync(join(scene.home, "svcm"));
  const starts = join(scene.home, "svcm", service, "starts");
  const record = readdirSync(starts).find((name) => name.endsWith(".json")) ?? "";
  expect(lstatSync(join(starts, record)).mode & 0o777).toBe(0o600);
  const gone = record.replace(/-\d+-(\d+)\.json$/, "-999999999-$1.json");
  writeFileSync(join(starts, gone), "{}");
  const again = makeSceneOn(scene);
  await again();
  expect(readdirSync(starts)).not.toContain(gone);
});

/** Another start in the same folder by another svcm. */
function makeSceneOn(scene: Scene) {
  return async (): Promise<void> => {
    const { nodeRunningCode } = await import("../../../../src/core/running/evidence/index.ts");
    const code = nodeRunningCode({ root: scene.root, env: {}, pm2Home: scene.home });
    await code.inspect([await scene.start()], { budgetMs: 10_000 });
  };
}

test("where nothing can be recorded, a look still answers", async () => {
  const scene = makeScene(false);
  writeFileSync(join(scene.home, "svcm"), "a file in the way");
  const request = await scene.start();
  expect(await scene.verdict(request)).toBe("same");
  write(scene.root, { "lib/mod.js": "2" });
  expect(await scene.verdict(request)).toBe("changed stale: lib/mod.js");
});

test("a folder that takes too long, or cannot be read, is unknown", async () => {
  const scene = makeScene(false);
  const request = await scene.start();
  const next = "a restart keeps that, so look again, or name what is not code in code.exclude of svcm.yaml";
  expect(await scene.verdict(request, 0)).toBe(`unknown: its files could not be read within 0 s; ${next}`);
  if (process.getuid?.() === 0) return;
  mkdirSync(join(scene.root, "closed"));
  chmodSync(join(scene.root, "closed"), 0);
  expect(await scene.verdict(request)).toMatch(/^unknown: .*closed cannot be read \(EACCES\); a restart/);
  chmodSync(join(scene.root, "closed"), 0o700);
});

test("after the clock was set, only content proves anything", async () => {
  const scene = makeScene(false);
  const request = await scene.start();
  await scene.look(request);
  const shifted = {
    ...request,
    processes: request.processes.map((one) => ({ ...one, startedAt: one.startedAt + 1e7 })),
  };
  expect(await scene.verdict(shifted)).toBe("same");
  write(scene.root, { "lib/mod.js": "2" });
  expect(await scene.verdict(shifted)).toBe("changed stale: lib/mod.js");
  const other = makeScene(false);
  const unrecorded = await other.start();
  const wrong = { ...unrecorded, processes: unrecorded.processes.map((one) => ({ ...one, startedAt: 1e12 })) };
  expect(await other.verdict(wrong)).toBe(
    "unknown: the clock was set after its start, or PM2 runs in another container",
  );
});

longTest("PM2's own record of the commit stands for svcm's", async () => {
  const scene = makeScene(true);
  const request = await scene.start();
  const revision = scene.repository?.git("rev-parse", "HEAD").trim() ?? "";
  const recorded = (isDirty: boolean) => ({
    ...request,
    processes: request.processes.map((one) => ({ ...one, versioning: { revision, isDirty } })),
  });
  write(scene.root, { "lib/mod.js": "1" });
  expect(await scene.verdict(recorded(false))).toBe("same");
  expect(await scene.verdict(recorded(true))).toMatch(/^unknown: lib\/mod.js was written after its start/);
});

longTest(
  "the fingerprint of the code changes with its content, folder and commit, and not with its times or data",
  async () => {
    const scene = makeScene(true);
    const request = await scene.start();
    const fingerprint = async () => (await scene.look(request)).fingerprint;
    const first = await fingerprint();
    await untilClear();
    write(scene.root, { "lib/mod.js": "1", "db.json": "{ }", "app.log": "x" });
    expect(await fingerprint()).toBe(first);
    write(scene.root, { "lib/mod.js": "2" });
    const second = await fingerprint();
    expect(second).not.toBe(first);
    scene.repository?.commit();
    expect(await fingerprint()).not.toBe(second);
  },
);
