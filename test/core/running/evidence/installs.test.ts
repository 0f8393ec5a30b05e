/** Packages that are installed for an app in other ways than by npm in its folder. */
import { cpSync, mkdirSync, rmSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { FILES, makeScene, write } from "./scenes.ts";

test.each([
  ["uv.lock", "main.py"],
  ["poetry.lock", "venv/bin/uvicorn"],
  ["Gemfile.lock", "start.sh"],
  ["common/config/rush/pnpm-lock.yaml", "server.js"],
])("another %s is a change of %s", async (lockfile, script) => {
  for (const hasRecord of [true, false]) {
    const scene = makeScene(false, { ...FILES, [lockfile]: "1", [script]: "1" });
    const request = await scene.start({ script: join(scene.root, script) });
    if (hasRecord) expect(await scene.verdict(request)).toBe("same");
    write(scene.root, { [lockfile]: "2" });
    expect(await scene.verdict(request)).toBe("changed stale: dependencies");
  }
});

test("a lockfile of Python beside a program of Node.js does not concern it", async () => {
  const scene = makeScene(true, { ...FILES, "uv.lock": "1" });
  const request = await scene.start();
  write(scene.root, { "uv.lock": "2" });
  expect(await scene.verdict(request)).toBe("same");
});

test("a lockfile of another language does not hide the one of the workspace", async () => {
  const scene = makeScene(false, { ...FILES, "ml/uv.lock": "1", "ml/start.sh": "1", "ml/package.json": "{}" });
  const cwd = join(scene.root, "ml");
  const request = await scene.start({ cwd, script: join(cwd, "start.sh") });
  write(scene.root, { "package-lock.json": "{ }" });
  expect(await scene.verdict(request)).toBe("changed stale: dependencies");
});

test("a marker that an earlier install left in a folder does not hide the lockfile of the workspace", async () => {
  const marker = "apps/web/node_modules/.package-lock.json";
  const scene = makeScene(false, {
    ...FILES,
    [marker]: "{}",
    "apps/web/server.js": "1",
    "apps/web/package.json": "{}",
  });
  const cwd = join(scene.root, "apps/web");
  const [recorded, unrecorded] = [await scene.start({ cwd }), await scene.start({ cwd })];
  expect(await scene.verdict(recorded)).toBe("same");
  write(scene.root, { "package-lock.json": "{ }", "node_modules/.package-lock.json": "{ }" });
  for (const request of [recorded, unrecorded])
    expect(await scene.verdict(request)).toBe("changed stale: dependencies");
});

const PACKAGE = "lib/python3.11/site-packages/flask";

test.each([
  ["in the folder", true],
  ["in the folder", false],
  ["elsewhere", true],
  ["elsewhere", false],
])("a virtual environment %s is compared by what is installed, record: %s", async (place, hasRecord) => {
  const scene = makeScene(false, { "main.py": "1", "lib/mod.py": "1" });
  const venv = join(place === "elsewhere" ? scene.home : scene.root, ".venv");
  write(venv, { "pyvenv.cfg": "", "bin/python": "", [`${PACKAGE}.dist-info/RECORD`]: "1", [`${PACKAGE}/app.py`]: "1" });
  const programs = place === "elsewhere" ? [join(venv, "bin/python")] : [];
  const request = await scene.start({
    script: join(scene.root, "main.py"),
    loads: { files: [], folders: [], programs },
  });
  if (hasRecord) expect(await scene.verdict(request)).toBe("same");
  write(venv, { [`${PACKAGE}/__pycache__/app.pyc`]: "1", [`${PACKAGE}/app.py`]: "2" });
  expect(await scene.verdict(request)).toBe("same");
  write(venv, { [`${PACKAGE}.dist-info/RECORD`]: "2" });
  expect(await scene.verdict(request)).toBe("changed stale: dependencies");
});

test("code in the folder of a virtual environment counts", async () => {
  const scene = makeScene(false, { "pyvenv.cfg": "", "main.py": "1", "lib/mod.py": "1", [`${PACKAGE}/app.py`]: "1" });
  const request = await scene.start({ script: join(scene.root, "main.py") });
  expect(await scene.verdict(request)).toBe("same");
  write(scene.root, { "lib/mod.py": "2" });
  expect(await scene.verdict(request)).toBe("changed stale: lib/mod.py");
});

/** By what the manifest says of a local package: where its copy is, and where a link leads to it. */
const COPIES = {
  "file:../mail": ["api/node_modules/mail", undefined],
  "workspace:*": ["node_modules/.pnpm/mail@file+mail/node_modules/mail", "api/node_modules/mail"],
} as const;

test.each(Object.entries(COPIES))("a copy of a local package is code: %s", async (source, [copy, link]) => {
  for (const hasGit of [true, false]) {
    const scene = makeScene(hasGit, {
      ".gitignore": "node_modules\n",
      "pnpm-lock.yaml": "1",
      "api/package.json": JSON.stringify({ dependencies: { mail: source, left: "1" } }),
      "api/src/server.js": "1",
      "mail/index.js": "1",
      "node_modules/.pnpm/lock.yaml": "1",
      "api/node_modules/left/index.js": "1",
    });
    const at = (path: string): string => join(scene.root, path);
    mkdirSync(dirname(at(copy)), { recursive: true });
    cpSync(at("mail"), at(copy), { recursive: true });
    if (link !== undefined) symlinkSync(at(copy), at(link));
    const request = await scene.start({ cwd: at("api"), script: at("api/src/server.js") });
    expect(await scene.verdict(request)).toBe("same");
    write(scene.root, { "mail/index.js": "2", "api/node_modules/left/index.js": "2" });
    expect(await scene.verdict(request)).toBe("same");
    rmSync(at(copy), { recursive: true });
    cpSync(at("mail"), at(copy), { recursive: true });
    expect(await scene.verdict(request)).toMatch(/^changed stale: .*node_modules\/mail\/index\.js$/);
  }
});

test.each([true, false])("settings that the library rc reads are in doubt after a change, record: %s", async (has) => {
  const scene = makeScene(true, { ...FILES, ".gitignore": `${FILES[".gitignore"]}.shoprc\n`, ".shoprc": "1" });
  const request = await scene.start();
  if (has) expect(await scene.verdict(request)).toBe("same");
  write(scene.root, { ".shoprc": "2" });
  expect(await scene.verdict(request)).toMatch(/^unknown: \.shoprc changed after its start/);
});
