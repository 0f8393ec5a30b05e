/** Code that is reached by a link of the workspace, or lies outside of the repository. */
import { mkdirSync, rmSync, symlinkSync } from "node:fs";
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
