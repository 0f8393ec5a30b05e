/** The walk over the folders of an app, with links, virtual environments and names that are not UTF-8. */
import { once } from "node:events";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createServer } from "node:net";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { Budget, isFolder, outsideFile, statOf, walkUnit } from "../../../../src/core/running/evidence/walk.ts";
import { temporaryFolder } from "../../../support/temporary-folder.ts";
import { write } from "./scenes.ts";

function walked(
  folder: string,
  { others = [], exclude = [] }: { readonly others?: string[]; readonly exclude?: string[] } = {},
) {
  const { entries, ...rest } = walkUnit(
    [{ folder, prefix: "" }],
    { others: new Set(others), exclude },
    new Budget(10_000),
  );
  const shown = entries.map(({ kind, path, isOutside }) => `${kind} ${path}${isOutside ? " outside" : ""}`);
  return { ...rest, shown: shown.toSorted() };
}

test("a walk has files, folders and links, and no folder of Git or of installed packages", () => {
  const folder = temporaryFolder();
  write(folder, {
    "a.js": "1",
    "lib/b.js": "1",
    ".git/HEAD": "",
    "node_modules/x/i.js": "",
    "x/node_modules/y.js": "",
  });
  symlinkSync("a.js", join(folder, "l.js"));
  expect(walked(folder)).toEqual({
    shown: ["file a.js", "file lib/b.js", "folder ", "folder lib", "folder x", "link l.js"],
    problem: null,
    venvs: [],
  });
  expect(walked(folder, { others: [join(folder, "a.js")], exclude: ["lib"] }).shown).toEqual([
    "folder ",
    "folder x",
    "link l.js",
  ]);
});

describe("a link", () => {
  test("out of the folder is followed once, as Node.js does", () => {
    const [folder, outside] = [temporaryFolder(), temporaryFolder()];
    write(outside, { "pkg/a.js": "1", "one.js": "1", "node_modules/x/i.js": "1" });
    write(folder, { "lib/b.js": "1" });
    symlinkSync(join(outside, "pkg"), join(folder, "pkg"));
    symlinkSync(join(outside, "pkg"), join(folder, "zpkg"));
    symlinkSync(join(outside, "one.js"), join(folder, "lib/one.js"));
    symlinkSync(join(outside, "node_modules/x"), join(folder, "x"));
    symlinkSync(join(outside, "gone"), join(folder, "gone"));
    const { shown } = walked(folder);
    expect(shown.filter((one) => one.endsWith("outside"))).toEqual([
      "file lib/./one.js outside",
      expect.stringMatching(/^file z?pkg\/a\.js outside$/),
      expect.stringMatching(/^folder z?pkg outside$/),
    ]);
    expect(shown.filter((one) => one.startsWith("link"))).toEqual(
      ["gone", "lib/one.js", "pkg", "x", "zpkg"].map((name) => `link ${name}`),
    );
  });

  test("into the folder, or above it, is not followed, nor one that has the name of logs", () => {
    const outside = temporaryFolder();
    const folder = join(outside, "app");
    write(folder, { "lib/b.js": "1" });
    write(temporaryFolder(), {});
    const logs = temporaryFolder();
    write(logs, { "a.js": "1" });
    symlinkSync("lib", join(folder, "again"));
    symlinkSync("..", join(folder, "above"));
    symlinkSync(logs, join(folder, "logs"));
    expect(walked(folder).shown.filter((one) => one.endsWith("outside"))).toEqual([]);
  });
});

test("of a virtual environment of Python, what is installed is not walked", () => {
  const folder = temporaryFolder();
  write(folder, { "venv/pyvenv.cfg": "", "venv/lib/python3/x.py": "", "venv/lib/own.py": "", "lib/python3/y.py": "" });
  const { shown, venvs } = walked(folder);
  expect(venvs).toEqual([join(folder, "venv")]);
  expect(shown).toContain("file venv/lib/own.py");
  expect(shown).toContain("file lib/python3/y.py");
  expect(shown.some((one) => one.includes("venv/lib/python3"))).toBe(false);
  const plain = temporaryFolder();
  write(plain, { "lib/python/x.py": "" });
  expect(walked(plain).shown).toContain("file lib/python/x.py");
});

test.skipIf(process.platform === "win32")("a socket does not count as code", async () => {
  const folder = temporaryFolder();
  const server = createServer().listen(join(folder, "app.js"));
  await once(server, "listening");
  onTestFinished(() => void server.close());
  expect(walked(folder).shown).toEqual(["folder "]);
});

test("the time for a walk begins with it, and may begin again", () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  onTestFinished(() => void vi.useRealTimers());
  const budget = new Budget(2000);
  vi.advanceTimersByTime(1999);
  expect(budget.problem).toBeNull();
  vi.advanceTimersByTime(1);
  expect(budget.problem).toBe("its files could not be read within 2 s");
  budget.renew();
  expect(budget.problem).toBeNull();
});

test.runIf(process.platform === "linux")("a name that is not UTF-8 is a problem only where code may be", () => {
  const problem = (place: string, name: string, isInFolder = false) => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, place), { recursive: true });
    const path = Buffer.concat([Buffer.from(`${join(folder, place)}/`), Buffer.of(0xe9), Buffer.from(name)]);
    if (isInFolder) mkdirSync(path);
    else writeFileSync(path, "");
    return walked(folder).problem?.replace(folder, "");
  };
  const refused = (place: string) => `${place} has a file or folder whose name is not UTF-8`;
  expect(problem(".", ".js")).toBe(refused(""));
  expect(problem("lib", ".js")).toBe(refused("/lib"));
  expect(problem("lib", "x", true)).toBe(refused("/lib"));
  expect([problem(".", ".log"), problem("uploads", ".png"), problem("logs", "x", true)]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
  const folder = temporaryFolder();
  write(folder, { "\uFFFD.js": "1" });
  expect(walked(folder)).toMatchObject({ problem: null, shown: ["file \uFFFD.js", "folder "] });
});

test("a walk ends with its time, and a folder that is gone has no files", () => {
  const folder = temporaryFolder();
  write(folder, { "a.js": "1" });
  const late = walkUnit([{ folder, prefix: "" }], { others: new Set(), exclude: [] }, new Budget(0));
  expect(late.problem).toBe("its files could not be read within 0 s");
  expect(walked(join(folder, "gone"))).toMatchObject({ shown: [], problem: null });
  expect(walked(join(folder, "a.js")).problem).toBe(`${folder}/a.js cannot be read (ENOTDIR)`);
});

test("a path may lead to a file, to a folder, or to neither", () => {
  const folder = temporaryFolder();
  write(folder, { "a.js": "1" });
  expect([isFolder(folder), isFolder(join(folder, "a.js")), isFolder(join(folder, "x"))]).toEqual([true, false, false]);
  expect(outsideFile(join(folder, "a.js"), "../a.js")).toMatchObject({
    path: "../a.js",
    kind: "file",
    isOutside: true,
  });
  expect([outsideFile(folder, ".."), outsideFile(join(folder, "x"), "../x")]).toEqual([undefined, undefined]);
  expect([statOf("a\0b"), statOf("x".repeat(5000))]).toEqual([undefined, undefined]);
});
