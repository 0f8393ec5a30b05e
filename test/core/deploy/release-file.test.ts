/** A release that was built elsewhere: what of it is written, and what refuses it. With the tar of this machine. */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { SvcmError } from "../../../src/core/api/errors.ts";
import { layoutOf } from "../../../src/core/deploy/layout.ts";
import { openReleaseFile } from "../../../src/core/deploy/machine/release-file.ts";
import type { DeployGit } from "../../../src/core/deploy/port-deploy-git.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

function makePlace() {
  const top = realpathSync(temporaryFolder());
  const layout = layoutOf(join(top, "d"));
  const folder = join(layout.releases, "20261127080501-4a91c77");
  for (const path of [layout.records, folder]) mkdirSync(path, { recursive: true });
  const place = { root: top, layout, git: { isShallow: () => true } as DeployGit };
  const write = async (path: string): Promise<void> =>
    await (await openReleaseFile(place, path)).git.write("", folder, "");
  const refused = async (path: string): Promise<string | undefined> =>
    await write(path).then(
      () => expect.unreachable(),
      (error: SvcmError) => (expect(error.body.code).toBe("RELEASE_FILE_UNUSABLE"), error.body.details),
    );
  return { top, folder, layout, place, write, refused };
}

function makeFolder(top: string, name: string, files: Readonly<Record<string, string>>): string {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(top, name, path, ".."), { recursive: true });
    writeFileSync(join(top, name, path), text);
  }
  return join(top, name);
}

test("a folder is a release without its repository, and equal folders are the same code", async () => {
  const { top, folder, place, write, layout } = makePlace();
  const files = { "app.js": "1", "lib/a.js": "2", ".git/config": "", ".svcm/state": "" };
  const [one, two] = ["one", "two"].map((name) => makeFolder(top, name, files)) as [string, string];
  const [first, second] = [await openReleaseFile(place, one), await openReleaseFile(place, two)];
  expect(second.found.digest).toBe(first.found.digest);
  expect(first.found).toMatchObject({ commit: first.found.digest?.slice(0, 40), revision: "one", source: one });
  expect(await first.git.readCommit("")).toEqual({ subject: "one", submodules: [], lfsCandidates: [] });
  expect([first.checkout.top, first.git.isShallow()]).toEqual([top, true]);
  await write(one);
  expect(readdirSync(folder, { recursive: true }).map(String).toSorted()).toEqual(["app.js", "lib", "lib/a.js"]);
  writeFileSync(join(two, "app.js"), "3");
  expect((await openReleaseFile(place, two)).found.digest).not.toBe(first.found.digest);
  expect(existsSync(join(layout.records, "folder.tar"))).toBe(true);
});

test("a folder that holds the deploy root is refused, because the release would hold itself", async () => {
  const { top, layout, refused } = makePlace();
  expect(await refused(top)).toContain(`The deploy root ${layout.root} lies below it.`);
  expect(await refused(layout.root)).toContain("lies below it.");
  expect(await refused(join(top, "nowhere"))).toContain("It does not exist, or is neither a file nor a folder.");
  expect(await refused("/dev/null")).toContain("It does not exist, or is neither a file nor a folder.");
});

test("a tarball with one folder, as npm packs it, is what that folder has, and one with more is as it is", async () => {
  const packed = makePlace();
  const make = (top: string, ...args: string[]): string => {
    execFileSync("tar", ["--create", "--gzip", `--file=${top}/shop.tgz`, `--directory=${top}/of`, ...args]);
    return join(top, "shop.tgz");
  };
  makeFolder(packed.top, "of", { "package/app.js": "1", "other.js": "2" });
  await packed.write(make(packed.top, "package"));
  expect(readdirSync(packed.folder)).toEqual(["app.js"]);
  expect(readdirSync(packed.layout.releases)).toHaveLength(1);
  const more = makePlace();
  makeFolder(more.top, "of", { "package/app.js": "1", "other.js": "2" });
  await more.write(make(more.top, "package", "other.js"));
  expect(readdirSync(more.folder).toSorted()).toEqual(["other.js", "package"]);
  const single = makePlace();
  makeFolder(single.top, "of", { "app.js": "1" });
  await single.write(make(single.top, "app.js"));
  expect(readFileSync(join(single.folder, "app.js"), "utf8")).toBe("1");
});

test("a file that is not a tarball is refused with tar's words", async () => {
  const { top, refused } = makePlace();
  writeFileSync(join(top, "shop.tgz"), "text".repeat(1000));
  expect(await refused(join(top, "shop.tgz"))).toMatch(/tar could not read or write it: .*not in gzip format/);
});

test("links of a release stay inside of it", async () => {
  const inside = makePlace();
  const kept = makeFolder(inside.top, "of", { "lib/a.js": "" });
  for (const [at, target] of ["lib/a.js", "lib", ".", "missing.js"].entries())
    symlinkSync(target, join(kept, `link${at}`));
  await expect(inside.write(kept)).resolves.toBeUndefined();
  for (const target of ["../../outside", "../secret", "/etc/passwd"]) {
    const { top, refused } = makePlace();
    const source = makeFolder(top, "of", { "lib/a.js": "" });
    symlinkSync(target, join(source, "link"));
    expect(await refused(source)).toContain(`The link link leads out of the archive, to ${target}.`);
  }
});
