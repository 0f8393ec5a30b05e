/** The folder of an install in a release, and the paths that releases share. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Layout } from "../../../src/core/deploy/layout.ts";
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
