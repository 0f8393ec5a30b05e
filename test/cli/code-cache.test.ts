import { cpSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { REPOSITORY, svcm, type Outcome } from "../support/command-line.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

/** An installation of its own, to be damaged. */
let installation = "";
let codeCache = "";

beforeEach(() => {
  installation = temporaryFolder();
  for (const part of ["bin", "dist"]) cpSync(join(REPOSITORY, part), join(installation, part), { recursive: true });
  const [folder = ""] = readdirSync(join(installation, "dist/code-cache"));
  codeCache = join(installation, "dist/code-cache", folder);
});

function envGet(env: Record<string, string> = {}): Outcome {
  return svcm(["env", "get", "--json"], { run: join(installation, "bin/run.js"), env: { HOME: installation, ...env } });
}

function filesBelow(folder: string): string[] {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" }).map((name) => join(folder, name));
  return names.filter((name) => statSync(name).isFile()).toSorted();
}

describe("the code that V8 compiled at build time", () => {
  test("is made for the Node that builds, and a run writes nothing", () => {
    const before = filesBelow(installation);
    expect(codeCache).toContain(`${process.versions.v8}-${process.arch}`);
    expect(envGet().status).toBe(0);
    expect(filesBelow(installation)).toEqual(before);
  });

  test.each([
    ["is empty", () => Buffer.alloc(0)],
    ["is noise", (code: Buffer) => Buffer.from(code.map((byte, index) => byte ^ (index * 7)))],
    ["is cut off", (code: Buffer) => code.subarray(0, code.length >> 1)],
    ["is of another V8", (code: Buffer) => Buffer.concat([Buffer.from([0, 0, 0, 0]), code.subarray(4)])],
  ])("is refused where it %s, and the command does its work", (_, damage) => {
    for (const file of filesBelow(codeCache)) writeFileSync(file, damage(readFileSync(file)));
    expect(envGet()).toMatchObject({ status: 0, stderr: "" });
  });

  test("may lack a part", () => {
    rmSync(join(codeCache, "chunks"), { recursive: true });
    expect(envGet()).toMatchObject({ status: 0, stderr: "" });
  });

  test("of another Node is not looked at; what Node keeps instead is in the user's own folder", () => {
    renameSync(codeCache, `${codeCache}-other`);
    const cache = join(temporaryFolder(), "cache");
    mkdirSync(cache);
    expect(envGet({ XDG_CACHE_HOME: cache })).toMatchObject({ status: 0, stderr: "" });
    expect(envGet({ XDG_CACHE_HOME: cache, SVCM_DEBUG: "1" })).toMatchObject({ status: 0, stderr: "" });
  });

  test("is of every chunk, so that none of ours says import()", () => {
    const native = filesBelow(join(installation, "dist")).filter(
      (file) =>
        file.endsWith(".cjs") &&
        !/programs|code-cache|oclif/.test(file) &&
        /(?<![.\w])import\(/.test(readFileSync(file, "utf8")),
    );
    expect(native).toEqual([]);
  });
});
