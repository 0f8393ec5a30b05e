/** The content of a look before a start, and packages that are installed elsewhere. */
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { makeScene, write } from "./scenes.ts";

test.each([true, false])("a package that is installed elsewhere is what runs, record: %s", async (hasRecord) => {
  const scene = makeScene(true);
  const elsewhere = `${scene.root}-global`;
  const install = (version: string) =>
    write(elsewhere, {
      "lib/node_modules/@shop/served/package.json": JSON.stringify({ version }),
      "lib/node_modules/@shop/served/bin/served.js": version,
    });
  install("1");
  try {
    const request = await scene.start({ script: join(elsewhere, "lib/node_modules/@shop/served/bin/served.js") });
    if (hasRecord) expect(await scene.verdict(request)).toBe("same");
    install("2");
    const text = hasRecord
      ? "changed stale: dependencies"
      : "unknown: the dependencies were installed again after its start";
    expect(await scene.verdict(request)).toBe(text);
  } finally {
    rmSync(elsewhere, { recursive: true });
  }
});

test("code that came after a look, was started and went again is not what the look has seen", async () => {
  const scene = makeScene(true);
  const { root, repository } = scene;
  write(root, { "lib/mod.js": "two" });
  repository?.git("commit", "--quiet", "--all", "--message", "two");
  repository?.git("checkout", "--quiet", "HEAD~1");
  await scene.look(await scene.start());
  repository?.git("checkout", "--quiet", "-");
  const request = await scene.start();
  repository?.git("checkout", "--quiet", "HEAD~1");
  scene.moveHeadLater();
  expect(await scene.verdict(request)).toMatch(/^changed different: [0-9a-f]{7} to [0-9a-f]{7}/);
});

test.each([true, false])(
  "what an app writes again at its start hides nothing from svcm's own start, Git: %s",
  async (hasGit) => {
    const scene = makeScene(hasGit);
    await scene.look(await scene.start());
    const request = await scene.start();
    const path = join(scene.root, "lib/mod.js");
    writeFileSync(path, readFileSync(path));
    write(scene.root, { "lib/app.pid": "1" });
    rmSync(join(scene.root, "lib/app.pid"));
    expect(await scene.verdict(request)).toBe("same");
    const later = await scene.start();
    rmSync(path);
    expect(await scene.verdict(later)).not.toBe("same");
  },
);

test("another commit in a linked work tree is named", async () => {
  const scene = makeScene(true);
  const tree = `${scene.root}-tree`;
  scene.repository?.git("worktree", "add", "--quiet", "-b", "deployed", tree);
  try {
    const request = await scene.start({ cwd: tree });
    write(tree, { "lib/mod.js": "2", "lib/b.js": "2" });
    scene.repository?.git("-C", tree, "add", "--all");
    scene.repository?.git("-C", tree, "commit", "--quiet", "--message", "two");
    expect(await scene.verdict(request)).toMatch(
      /^changed different: (?:[0-9a-f]{7} to [0-9a-f]{7}, 2 files)$|^unknown/,
    );
  } finally {
    rmSync(tree, { recursive: true, force: true });
  }
});
