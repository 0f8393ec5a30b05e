/** Links on the way to the code, and in its folder, that are moved after the start. */
import { mkdirSync, renameSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { makeScene, write, type Scene } from "./scenes.ts";

function relink(root: string, target: string, link = "current"): void {
  symlinkSync(target, join(root, "next"));
  renameSync(join(root, "next"), join(root, link));
}

const RELEASES = { "releases/1/server.js": "1", "releases/2/server.js": "2", "releases/2/package.json": "{}" };

function releases(): Scene {
  const scene = makeScene(false, RELEASES);
  relink(scene.root, "releases/2");
  return scene;
}

test.each(["a folder", "a script"])("a link to a link, of which the second is moved, counts for %s", async (kind) => {
  const scene = makeScene(false, RELEASES);
  mkdirSync(join(scene.root, "slots"));
  symlinkSync("../releases/2", join(scene.root, "slots/live"));
  relink(scene.root, "slots/live");
  const current = join(scene.root, "current");
  const request = await scene.start(kind === "a folder" ? { cwd: current } : { script: join(current, "server.js") });
  symlinkSync("../releases/1", join(scene.root, "slots/next"));
  renameSync(join(scene.root, "slots/next"), join(scene.root, "slots/live"));
  expect(await scene.verdict(request)).toMatch(/^changed different: .*releases\/1/);
});

test("files that PM2 serves are not code, and the folder from which it serves them counts", async () => {
  const scene = releases();
  const server = "node_modules/pm2/lib/API/Serve.js";
  write(scene.root, { [server]: "1", "releases/2/index.html": "1" });
  const request = await scene.start({ cwd: join(scene.root, "current"), script: join(scene.root, server) });
  write(scene.root, { "releases/2/index.html": "2", "releases/2/page.js": "2" });
  expect(await scene.verdict(request)).toBe("same");
  relink(scene.root, "releases/1");
  expect(await scene.verdict(request)).toBe("changed different: releases/2 to releases/1");
});

test("a link that leads to itself ends the search", async () => {
  const scene = releases();
  const request = await scene.start({ script: join(scene.root, "current/server.js") });
  relink(scene.root, "current");
  await expect(scene.look(request)).resolves.toBeDefined();
});

/** By its name: where it leads to at the start, and where later. Both were there before. */
const LINKS = {
  dist: ["builds/2", "builds/1"],
  lib: ["libs/2", "libs/1"],
  node_modules: ["deps/2", "deps/1"],
} as const;

test.each(Object.entries(LINKS))(
  "a link %s in the folder that is moved leaves no empty plan",
  async (link, [before, after]) => {
    for (const [hasGit, hasRecord] of [
      [true, true],
      [true, false],
      [false, true],
      [false, false],
    ] as const) {
      const scene = makeScene(hasGit, {
        ".gitignore": "node_modules\ndist\nlib\nbuilds\n",
        "server.js": 'require("./dist/app.js");',
        "builds/1/app.js": "1",
        "builds/2/app.js": "2",
        "libs/1/x.js": "1",
        "libs/2/x.js": "2",
        "deps/1/.package-lock.json": "{}",
        "deps/2/.package-lock.json": "{ }",
      });
      relink(scene.root, before, link);
      const request = await scene.start();
      if (hasRecord) expect(await scene.verdict(request)).toBe("same");
      relink(scene.root, after, link);
      const isInstall = link === "node_modules";
      const step = isInstall ? "changed stale: dependencies" : `changed stale: ${link}`;
      expect(await scene.verdict(request)).toMatch(isInstall && !hasRecord ? /^unknown: / : new RegExp(`^${step}$`));
    }
  },
);
