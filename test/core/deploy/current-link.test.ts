/** The link `current`, of svcm's releases and of those of another tool. */
import { mkdirSync, readlinkSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { layoutOf, type Layout } from "../../../src/core/deploy/layout.ts";
import {
  planSwitch,
  readForeign,
  readRevision,
  requireLink,
  switchCurrent,
} from "../../../src/core/deploy/machine/current-link.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const ID = "20261127080501-4a91c77";
const commit = "b".repeat(40);

function makeRoot(): Layout {
  const layout = layoutOf(temporaryFolder());
  mkdirSync(layout.records);
  mkdirSync(join(layout.releases, "20261127080501"), { recursive: true });
  return layout;
}

test("a switch leads to the release, a second one to the next, and none to nothing", async () => {
  const layout = makeRoot();
  await switchCurrent(layout, null);
  expect(await planSwitch(layout, ID)).toEqual({ from: null, to: `releases/${ID}` });
  await switchCurrent(layout, ID);
  expect(await readForeign(layout)).toBeNull();
  // Left by a switch that was killed.
  symlinkSync("nowhere", `${layout.current}.new`);
  await switchCurrent(layout, "20261127080502-0000000");
  expect(readlinkSync(layout.current)).toBe("releases/20261127080502-0000000");
  expect(await planSwitch(layout, null)).toEqual({ from: "releases/20261127080502-0000000", to: null });
  await switchCurrent(layout, null);
  expect(() => readlinkSync(layout.current)).toThrow("ENOENT");
});

test("without a release of svcm, current leads again to where another tool left it", async () => {
  const layout = makeRoot();
  const foreign = "releases/20261127080501";
  symlinkSync(foreign, layout.current);
  expect(await planSwitch(layout, null)).toEqual({ from: foreign, to: foreign });
  await switchCurrent(layout, ID);
  await switchCurrent(layout, "20261127080502-0000000");
  expect(await planSwitch(layout, null)).toEqual({ from: "releases/20261127080502-0000000", to: foreign });
  await switchCurrent(layout, null);
  expect(readlinkSync(layout.current)).toBe(foreign);
});

test.each([
  [`${commit}\n`, commit],
  ["b".repeat(64), "b".repeat(64)],
  ["b".repeat(39), null],
  ["v1.4.0", null],
])("the release of another tool has the commit of its file REVISION: %j is %j", async (text, expected) => {
  const layout = makeRoot();
  symlinkSync("releases/20261127080501", layout.current);
  expect(await readForeign(layout)).toEqual({ folder: "releases/20261127080501", commit: null });
  writeFileSync(join(layout.current, "REVISION"), text);
  expect(await readForeign(layout)).toEqual({ folder: "releases/20261127080501", commit: expected });
  expect(readRevision(layout.current)).toBe(expected);
});

test("a folder in the place of current is refused, and stays", async () => {
  const layout = makeRoot();
  expect(() => requireLink(layout)).not.toThrow();
  expect(await readForeign(layout)).toBeNull();
  mkdirSync(layout.current);
  expect(await readForeign(layout)).toBeNull();
  const refusal = { kind: "DEPLOY_REFUSED", body: { code: "DEPLOY_ROOT_UNUSABLE", path: layout.current } };
  await expect(switchCurrent(layout, ID)).rejects.toMatchObject(refusal);
  await expect(switchCurrent(layout, null)).rejects.toMatchObject(refusal);
});
