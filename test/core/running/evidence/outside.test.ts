/** Code that is reached by a link of the workspace, or lies outside of the repository. */
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { makeScene, write } from "./scenes.ts";

test.each([true, false])("a workspace link that leads to another folder is a change, Git: %s", async (hasGit) => {
  const mail = '{"name":"mail"}';
  const scene = makeScene(hasGit, {
    ".gitignore": "node_modules\n",
    "package.json": '{"dependencies":{"mail":"*"}}',
    "server.js": "1",
    "packages/one/package.json": mail,
    "packages/two/package.json": mail,
  });
  const link = join(scene.root, "node_modules/mail");
  mkdirSync(dirname(link));
  symlinkSync("../packages/one", link);
  const [recorded, unrecorded] = [await scene.start(), await scene.start()];
  expect(await scene.verdict(recorded)).toBe("same");
  const lead = (target: string): void => {
    rmSync(link);
    symlinkSync(target, link);
  };
  lead("../packages/two");
  expect(await scene.verdict(recorded)).toBe("changed stale: node_modules/mail leads to another folder");
  expect(await scene.verdict(unrecorded)).toMatch(/^unknown: the dependencies were installed again/);
  lead("../packages/one");
  expect(await scene.verdict(recorded)).toBe("same");
});

test("an env file of a package that only a link of .bin leads to is in doubt", async () => {
  const scene = makeScene(true, {
    ".gitignore": "node_modules\n.env\n",
    "package.json": "{}",
    "packages/server/package.json": '{"name":"server"}',
    "packages/server/server.js": "1",
    "packages/server/.env": "COLOR=red\n",
  });
  const script = join(scene.root, "node_modules/.bin/server");
  mkdirSync(dirname(script), { recursive: true });
  symlinkSync("../../packages/server/server.js", script);
  const [recorded, unrecorded] = [await scene.start({ script }), await scene.start({ script })];
  expect(await scene.verdict(recorded)).toBe("same");
  write(scene.root, { "packages/server/.env": "COLOR=blue\n" });
  for (const request of [recorded, unrecorded])
    expect(await scene.verdict(request)).toMatch(/^unknown: .*\.env changed after its start/);
  write(scene.root, { "packages/server/.env": "COLOR=red\n" });
  expect(await scene.verdict(recorded)).toBe("same");
});

test("a name that is not UTF-8 makes a folder of code unreadable, and one of uploads not", async () => {
  const scene = makeScene(false, { "server.js": "1", "views/a.html": "1", "uploads/a.bin": "1" });
  const put = (folder: string, name: string): void =>
    writeFileSync(Buffer.from(`${join(scene.root, folder)}/${name}`, "latin1"), "1");
  put("uploads", "caf\u00E9.html");
  put("views", "caf\u00E9.png");
  const request = await scene.start();
  expect(await scene.verdict(request)).toBe("same");
  put("views", "caf\u00E9.html");
  const reason = "views has a file or folder whose name is not UTF-8";
  expect(await scene.verdict(request)).toContain(reason);
});

test("code of a linked package counts as uncommitted, and as changed since an earlier commit", async () => {
  const scene = makeScene(true, {
    ".gitignore": "node_modules\n",
    "apps/web/package.json": '{"dependencies":{"mail":"*"}}',
    "apps/web/server.js": "1",
    "packages/mail/package.json": '{"name":"mail"}',
    "packages/mail/lib/index.js": "1",
    "packages/other/index.js": "1",
  });
  const git = (...args: string[]) => scene.repository!.git(...args);
  const cwd = join(scene.root, "apps/web");
  mkdirSync(join(cwd, "node_modules"));
  symlinkSync("../../../packages/mail", join(cwd, "node_modules/mail"));
  const request = { ...(await scene.start({ cwd })), folder: cwd };
  expect(await scene.uncommitted(request)).toEqual([]);
  const before = git("rev-parse", "HEAD").trim();
  write(scene.root, { "packages/mail/lib/index.js": "2", "packages/other/index.js": "2" });
  expect(await scene.uncommitted(request)).toEqual(["packages/mail/lib/index.js"]);
  git("commit", "--quiet", "--all", "--message", "mail");
  expect(await scene.uncommitted(request)).toEqual([]);
  expect(await scene.uncommitted(request, before)).toEqual(["packages/mail/lib/index.js"]);
});

test("a file outside of the repository is shown by its absolute path, which code.exclude understands", async () => {
  const scene = makeScene(false);
  const [shopd, other] = [join(scene.home, "shopd"), join(scene.home, "lib/other.js")];
  write(scene.home, { shopd: "1", "lib/other.js": "1" });
  const request = await scene.start({
    loads: { files: [shopd, other], folders: [] },
    exclude: [join(scene.home, "lib")],
  });
  expect(await scene.verdict(request)).toBe("same");
  write(scene.home, { shopd: "2", "lib/other.js": "2" });
  expect(await scene.verdict(request)).toBe(`changed stale: ${shopd}`);
});

test("what is built for another app is not code, unless a program may load something outside of its folder", async () => {
  const scene = makeScene(true, {
    ".gitignore": "dist\n",
    "package.json": "{}",
    "dist/apps/api/src/main.js": 'require("../lib.js")',
    "dist/apps/api/lib.js": "1",
    "dist/apps/web/main.js": "1",
    "dist/libs/mail.js": "1",
    "apps/web/main.ts": "1",
    "libs/mail.ts": "1",
  });
  const [script, other] = ["api/src", "web"].map((name) => join(scene.root, "dist/apps", name, "main.js"));
  const start = () => scene.start({ script: script!, siblings: [other!] });
  const [recorded, unrecorded] = [await start(), await start()];
  expect(await scene.verdict(recorded)).toBe("same");
  write(scene.root, { "dist/apps/web/main.js": "2", "apps/web/main.ts": "2", "apps/web/new.ts": "1" });
  expect(await scene.verdict(recorded)).toBe("same");
  expect(await scene.verdict(unrecorded)).toBe("same");
  write(scene.root, { "dist/libs/mail.js": "2" });
  expect(await scene.verdict(recorded)).toMatch(/^unknown: dist\/libs\/mail.js/);
  for (const [version, text] of ['require("../web/main.js")', 'join(cwd, "apps", "web")'].entries()) {
    write(scene.root, { "dist/apps/api/lib.js": text });
    const open = await start();
    expect(await scene.verdict(open)).toBe("same");
    write(scene.root, { "dist/apps/web/main.js": `${version + 3}` });
    expect(await scene.verdict(open)).toMatch(/^unknown: dist\/apps\/web\/main.js/);
  }
});
