/** `sudo svcm` in the PM2_HOME of a user: the user reads and continues what root has recorded. */
import { chownSync, lstatSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { nodeDeploys } from "../../../src/core/deploy/machine/index.ts";
import { nodeReleases } from "../../../src/core/rollout/releases.node.ts";
import { isRoot } from "../../support/machine.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const USER = 65_534;

test.runIf(isRoot)(
  "each file of a release belongs to the owner of the folder, and a deploy by root is refused",
  async () => {
    const root = temporaryFolder();
    const home = join(root, "home");
    mkdirSync(home);
    writeFileSync(join(root, ".env"), "A=1\n");
    chownSync(home, USER, USER);
    const releases = nodeReleases(home, root);
    const id = "20261128-171146-2370";
    await releases.create(id, { event: "release", id } as never);
    await releases.append(id, { event: "end", outcome: "applied", at: "2026-11-28T17:11:46.000Z" } as never);
    await releases.copyEnvFiles(id, [join(root, ".env")]);
    const paths = readdirSync(home, { recursive: true }).map(String);
    expect(paths.length).toBeGreaterThan(5);
    expect(paths.filter((path) => lstatSync(join(home, path)).uid !== USER)).toEqual([]);
    const deploys = nodeDeploys({ root, env: {} }, undefined as never);
    expect(() => deploys.requireOwner(home)).toThrow(`${home} belongs to the user with the number ${USER}`);
    expect(() => deploys.requireOwner(root)).not.toThrow();
    expect(() => deploys.requireOwner(join(root, "none"))).not.toThrow();
  },
);

test("a release that cannot be read is an error, not one release fewer", async () => {
  const root = temporaryFolder();
  const releases = nodeReleases(root, root);
  const id = "20261128-171146-2370";
  await releases.create(id, { event: "release", id } as never);
  // A folder cannot be read as a file, also not by root.
  const found = readdirSync(root, { recursive: true, encoding: "utf8" }).find((path) => path.endsWith(id)) ?? "";
  mkdirSync(join(root, found.replace(id, "20261128-171147-0000"), "journal.jsonl"), { recursive: true });
  await expect(releases.list()).rejects.toMatchObject({ body: { code: "PM2_HOME_UNUSABLE" } });
});

test("a server that began before another project of its name took the folder writes into its own", async () => {
  const top = temporaryFolder();
  const [first, second] = ["a/shop", "b/shop"].map((name) => {
    const folder = join(top, name);
    mkdirSync(folder, { recursive: true });
    return nodeReleases(join(top, "home"), folder);
  });
  const [one, two] = ["20261128-171146-2370", "20261128-171147-2370"];
  await first?.create(one ?? "", { event: "release", id: one } as never);
  await second?.create(two ?? "", { event: "release", id: two } as never);
  expect(await first?.list()).toEqual([[{ event: "release", id: one }]]);
  expect(await second?.list()).toEqual([[{ event: "release", id: two }]]);
});
