/** The folder of an install in a release, and the paths that releases share. */
import { mkdirSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { layoutOf, type Layout } from "../../../src/core/deploy/layout.ts";
import { nodeDeploys, releaseWorld } from "../../../src/core/deploy/machine/index.ts";
import { findInstallFolder, sharePaths } from "../../../src/core/deploy/machine/root.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

test.each([
  ["of the service", ["services/api", ""], "services/api"],
  ["of the workspace", [""], ""],
  ["of another project only", [], undefined],
])("packages are installed in the folder with the lockfile: %s", (_, lockfiles, expected) => {
  const top = join(temporaryFolder(), "release");
  mkdirSync(join(top, "services/api"), { recursive: true });
  // Above the release is another project.
  writeFileSync(join(top, "../package-lock.json"), "{}");
  for (const folder of lockfiles) writeFileSync(join(top, folder, "package-lock.json"), "{}");
  expect(findInstallFolder(top, join(top, "services/api"))).toBe(
    expected === undefined ? undefined : join(top, expected),
  );
});

test("a shared path below folders that the release lacks is linked, and one below a file is refused", async () => {
  const top = temporaryFolder();
  const [shared, release, checkout] = ["shared", "release", "checkout"].map((name) => join(top, name)) as [
    string,
    string,
    string,
  ];
  mkdirSync(release);
  mkdirSync(join(checkout, "data/orders"), { recursive: true });
  writeFileSync(join(checkout, "data/orders/today"), "12");
  const share = (path: string) =>
    sharePaths({ shared } as Layout, release, [{ path, former: join(checkout, path), isFolder: true }]);
  await share("data/orders");
  expect(readFileSync(join(release, "data/orders/today"), "utf8")).toBe("12");
  writeFileSync(join(release, "uploads"), "a file of the commit");
  await expect(share("uploads/images/new")).rejects.toMatchObject({
    body: { code: "SHARED_UNUSABLE", details: expect.stringContaining(`${join(release, "uploads")} is not a folder`) },
  });
});

test("the paths of a release are those of the checkout and of current, by each of their names", () => {
  const folder = realpathSync(temporaryFolder());
  const layout = layoutOf(join(folder, "d"));
  const id = "20261127080501-4a91c77";
  mkdirSync(join(layout.releases, id), { recursive: true });
  mkdirSync(join(folder, "checkout"));
  symlinkSync(join(layout.releases, id), layout.current);
  symlinkSync(join(folder, "checkout"), join(folder, "link"));
  const place = { layout, id, prefix: "", commit: "", checkout: join(folder, "link") };
  const own = { workspace: {}, ecosystems: {}, revisions: {}, runningCode: {} };
  const { paths } = releaseWorld({ workspace: {} } as never, own as never, place);
  // A release that current leads to keeps its own paths.
  expect(paths.from).toEqual([join(folder, "link"), layout.current, join(folder, "checkout")]);
  expect(paths).toMatchObject({ release: join(layout.releases, id), shared: layout.shared });
});

test.each([
  [true, ["of-release", "of-home"]],
  [false, ["of-release"]],
])("the tokens of package registries are those of the release and of the user (with HOME: %s)", (hasHome, expected) => {
  const [release, home] = [temporaryFolder(), temporaryFolder()];
  writeFileSync(join(release, ".npmrc"), "registry=https://r\n//r/:_authToken=of-release\n# //r/:_authToken=old\n");
  writeFileSync(join(home, ".npmrc"), '//r/:_password = "of-home"\n');
  const deploys = nodeDeploys({ root: release, env: hasHome ? { HOME: home } : {} }, undefined as never);
  expect([...new Set(deploys.registrySecrets(release))]).toEqual(expected);
});
