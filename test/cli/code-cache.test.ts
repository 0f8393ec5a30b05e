import { tokenizer } from "acorn";
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { plainEnvironment, REPOSITORY, RUN, svcm, type Outcome } from "../support/command-line.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { longTest } from "../support/runs.ts";

/** A private folder of the user, without a cache at the start of each test. */
let home = "";
const keptBelow = (folder: string) => join(folder, ".cache/svcm");

beforeEach(() => {
  home = temporaryFolder();
});

function envGet(env: Record<string, string> = {}, run = RUN): Outcome {
  return svcm(["env", "get", "--json"], { run, env: { HOME: home, XDG_CACHE_HOME: "", ...env } });
}

function cacheFolder(): string {
  const [folder = ""] = readdirSync(keptBelow(home));
  return join(keptBelow(home), folder);
}

function contents(folder: string): Record<string, string> {
  return Object.fromEntries(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), "latin1")]));
}

/** The number of chunks that a start compiled, because the cache had no code for them or V8 rejected it. */
function compiledChunks(env: Record<string, string> = {}): number {
  const spy = join(home, "spy.cjs");
  writeFileSync(
    spy,
    `const vm = require("node:vm"), { Script } = vm;
     let compiled = 0;
     vm.Script = class extends Script {
       constructor(source, options) { super(source, options); if (this.cachedDataRejected !== false) compiled += 1; }
     };
     process.on("exit", () => process.stderr.write(String(compiled)));`,
  );
  const argv = ["--require", spy, RUN, "env", "get", "--json"];
  const options = {
    cwd: REPOSITORY,
    env: plainEnvironment({ HOME: home, XDG_CACHE_HOME: "", ...env }),
    encoding: "utf8",
  } as const;
  return Number(spawnSync(process.execPath, argv, options).stderr);
}

describe("compiled code", () => {
  test("is stored by the first start in a private folder of the user, and used by the second", () => {
    expect(compiledChunks()).toBeGreaterThan(3);
    expect(statSync(cacheFolder()).mode & 0o777).toBe(0o700);
    const kept = contents(cacheFolder());
    expect(compiledChunks()).toBe(0);
    expect(contents(cacheFolder())).toEqual(kept);
  });

  longTest("of a chunk that commands share has the functions of each command after its first start", () => {
    const sizeOfCore = (): number => statSync(join(cacheFolder(), "chunks+core.cjs")).size;
    const start = (...argv: string[]): Outcome => svcm(argv, { env: { HOME: home, XDG_CACHE_HOME: "" } });
    start("matrix", "show");
    const ofOne = sizeOfCore();
    envGet();
    const ofBoth = sizeOfCore();
    expect(ofBoth).toBeGreaterThan(ofOne);
    start("matrix", "show");
    expect(sizeOfCore()).toBe(ofBoth);
  });

  longTest("is valid for one version of Node.js and one build", () => {
    envGet();
    const build = readFileSync(join(REPOSITORY, "dist/build-id"), "utf8");
    expect(readdirSync(keptBelow(home))).toEqual([`${build}-node${process.versions.v8}-${process.arch}`]);
  });

  longTest("of another build with sources of the same length is not run", () => {
    const installation = temporaryFolder();
    for (const part of ["bin", "dist"]) cpSync(join(REPOSITORY, part), join(installation, part), { recursive: true });
    envGet();
    const start = join(installation, "dist/start.cjs");
    writeFileSync(start, readFileSync(start, "utf8").replace("use strict", "use strikt"));
    writeFileSync(join(installation, "dist/build-id"), "another-build");
    expect(envGet({}, join(installation, "bin/run.js"))).toMatchObject({ status: 0, stderr: "" });
    expect(readdirSync(keptBelow(home))).toHaveLength(2);
  });

  longTest.each([
    ["empty", () => Buffer.alloc(0)],
    ["noise", (code: Buffer) => Buffer.from(code.map((byte, index) => byte ^ (index * 7)))],
    ["cut off", (code: Buffer) => code.subarray(0, code.length >> 1)],
    ["of another V8", (code: Buffer) => Buffer.concat([Buffer.from([0, 0, 0, 0]), code.subarray(4)])],
  ])("that is %s is refused and replaced, and the command still works", (_, damage) => {
    envGet();
    const folder = cacheFolder();
    for (const name of readdirSync(folder)) {
      const file = join(folder, name);
      writeFileSync(file, damage(readFileSync(file)));
    }
    expect(envGet()).toMatchObject({ status: 0, stderr: "" });
    expect(compiledChunks()).toBe(0);
  });

  longTest("is removed when nine newer folders exist", () => {
    for (let index = 0; index < 12; index += 1) mkdirSync(join(keptBelow(home), `old-${index}`), { recursive: true });
    chmodSync(keptBelow(home), 0o700);
    envGet();
    expect(readdirSync(keptBelow(home))).toHaveLength(8);
    expect(compiledChunks()).toBe(0);
  });
});

describe("code that another user may have written is not run", () => {
  const isRoot = process.getuid?.() === 0;

  longTest("from a folder that others may write to", () => {
    envGet();
    chmodSync(cacheFolder(), 0o777);
    expect(compiledChunks()).toBeGreaterThan(3);
  });

  longTest("from a link", () => {
    envGet();
    const other = temporaryFolder();
    mkdirSync(keptBelow(other), { recursive: true });
    symlinkSync(cacheFolder(), join(keptBelow(other), cacheFolder().split("/").at(-1) ?? ""));
    expect(compiledChunks({ HOME: other })).toBeGreaterThan(3);
  });

  longTest.runIf(isRoot)("from a folder of another user", () => {
    envGet();
    chownSync(cacheFolder(), 65_534, 65_534);
    expect(compiledChunks()).toBeGreaterThan(3);
  });

  longTest.runIf(isRoot)("and root leaves nothing in the home of another user", () => {
    chownSync(home, 65_534, 65_534);
    expect(envGet()).toMatchObject({ status: 0, stderr: "" });
    expect(readdirSync(home)).toEqual([]);
  });
});

describe("a command works without the cache", () => {
  test("if the cache folder cannot be made", () => {
    writeFileSync(join(home, ".cache"), "");
    expect(envGet()).toMatchObject({ status: 0, stderr: "" });
  });

  longTest.each([
    ["with SVCM_DEBUG", { SVCM_DEBUG: "1" }],
    ["if XDG_CACHE_HOME is relative", { XDG_CACHE_HOME: "cache" }],
    ["without a home", { HOME: "" }],
  ])("%s", (_, env) => {
    expect(envGet(env)).toMatchObject({ status: 0, stderr: "" });
    expect(readdirSync(home)).toEqual([]);
  });

  /** The word may also be in a text: acorn reports what is wrong with an import. */
  const usesImport = (code: string): boolean =>
    /(?<![.\w])import\(/.test(code) &&
    [...tokenizer(code, { ecmaVersion: "latest" })].some(({ type }) => type.keyword === "import");

  longTest("no chunk of svcm uses import(), which compiled code does not support", () => {
    const dist = join(REPOSITORY, "dist");
    const native = readdirSync(dist, { recursive: true, encoding: "utf8" }).filter(
      (file) =>
        file.endsWith(".cjs") && !/programs|oclif/.test(file) && usesImport(readFileSync(join(dist, file), "utf8")),
    );
    expect(native).toEqual([]);
  });
});
