/** A release that was built elsewhere, as a tarball or a folder. */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { execute, rolloutRollback } from "../../src/core/index.ts";
import { longTest, sampleOrAll } from "../support/runs.ts";
import { caller, shopUnderPm2 } from "./deployed-shop.ts";

const shop = shopUnderPm2();
const built = join(realpathSync(shop.own.folder), "built");
const file = join(shop.own.folder, "shop.tgz");

function build(version: string): void {
  mkdirSync(join(built, "dist"), { recursive: true });
  for (const name of ["app.cjs", "ecosystem.config.cjs", "svcm.yaml", "package.json"])
    cpSync(join(shop.checkout, name), join(built, name));
  writeFileSync(join(built, "dist/version.txt"), version);
}

function pack(...args: string[]): void {
  execFileSync("tar", ["--create", "--gzip", `--file=${file}`, ...args], { cwd: built, stdio: "ignore" });
}

test("a tarball is deployed without a build, and a folder after it without Git", async () => {
  build("7");
  pack("--transform=s,^[.],package,", ".");
  const { deploy } = await shop.deploy({ from: file });
  const digest = createHash("sha256").update(readFileSync(file)).digest("hex");
  expect(deploy).toMatchObject({ state: "done", current: true, digest, subject: "shop.tgz", from: file });
  expect(await shop.answer()).toBe("7");
  expect(existsSync(join(shop.root, "releases", deploy.id, "app.cjs"))).toBe(true);
  // Without Git, too.
  renameSync(join(shop.checkout, ".git"), join(shop.checkout, "git-away"));
  build("8");
  const second = await shop.deploy({ from: built });
  expect([await shop.answer(), second.deploy.current]).toEqual(["8", true]);
  expect((await shop.deploy({ from: built })).release).toBeNull();
  renameSync(join(shop.checkout, "git-away"), join(shop.checkout, ".git"));
});

longTest("a release file without its packages gets them, and one that has them is taken as it is", async () => {
  build("7");
  writeFileSync(join(built, "package-lock.json"), '{"name":"shop","lockfileVersion":3,"packages":{"":{}}}');
  const { body } = await shop.refused({ from: built });
  expect([body.code, body.details]).toEqual([
    "DEPLOY_COMMAND_FAILED",
    // The npm of this shop only builds.
    expect.stringMatching(/^The install \(npm ci .*\) ended with exit code 64\./),
  ]);
  mkdirSync(join(built, "node_modules"));
  expect((await shop.deploy({ from: built })).deploy.current).toBe(true);
  for (const name of ["package-lock.json", "node_modules"]) rmSync(join(built, name), { recursive: true });
});

longTest("a rollback goes back to a release from a file, and a commit is deployed as before", async () => {
  const [, former] = shop.releases().toReversed();
  await execute(rolloutRollback, shop.ports, {}, caller);
  expect([await shop.answer(), shop.current()]).toEqual(["8", former]);
  expect((await shop.deploy()).deploy.subject).toBe("version 1");
});

const TRAPS: readonly [string, () => void, string][] = [
  [
    "a link to outside",
    () => symlinkSync("/etc", join(built, "trap")),
    "The link trap leads out of the archive, to /etc.",
  ],
  [
    "a chain of links that leads out",
    () => {
      mkdirSync(join(built, "trap/deep"), { recursive: true });
      symlinkSync("../..", join(built, "trap/deep/up"));
      symlinkSync("trap/deep/up/../..", join(built, "out"));
    },
    "The link out leads out of the archive, to trap/deep/up/../...",
  ],
  [
    "a pipe",
    () => execFileSync("mkfifo", [join(built, "trap")]),
    "./trap is a device, a pipe or another special file.",
  ],
  [
    "a repository",
    () => mkdirSync(join(built, "trap/.git"), { recursive: true }),
    "./trap/.git/ belongs to a Git repository.",
  ],
];

/** The links, which only the whole archive shows to lead out. */
test.each(sampleOrAll(TRAPS, TRAPS.slice(0, 2)))(
  "%s is refused, and nothing is left of it",
  async (_what, trap, why) => {
    build("9");
    trap();
    const before = shop.releases();
    for (const from of [built, file]) {
      if (from === file) pack(".");
      const { body } = await shop.refused({ from });
      expect([body.code, body.details]).toEqual([
        "RELEASE_FILE_UNUSABLE",
        expect.stringContaining(`not used as a release. ${why}\n`),
      ]);
    }
    expect(shop.releases()).toEqual(before);
    for (const name of ["trap", "out"]) rmSync(join(built, name), { recursive: true, force: true });
  },
);

test("a name outside, a torn file and a missing one are refused", async () => {
  build("9");
  pack("--absolute-names", join(built, "app.cjs"));
  expect((await shop.refused({ from: file })).body.details).toContain("/app.cjs lies outside of the archive.");
  pack("--absolute-names", "../built/app.cjs");
  expect((await shop.refused({ from: file })).body.details).toContain("../built/app.cjs lies outside of the archive.");
  pack(".");
  writeFileSync(file, readFileSync(file).subarray(0, 500));
  expect((await shop.refused({ from: file })).body.details).toContain("tar could not read or write it: ");
  expect((await shop.refused({ from: `${file}.gone` })).body.code).toBe("RELEASE_FILE_UNUSABLE");
});
