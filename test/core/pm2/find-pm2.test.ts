/** The PM2 that svcm loads: real folders, and packages of each layout. */
import { chownSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { findInstalledPm2, findPm2, noPm2Text } from "../../../src/core/pm2/daemon/find-pm2.ts";

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "svcm-find-pm2-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
});

function install(version: string, name = "pm2"): string {
  const path = join(folder, "shop/node_modules/pm2");
  mkdirSync(path, { recursive: true });
  writeFileSync(join(path, "package.json"), JSON.stringify({ name, version }));
  return path;
}

const places = () => ({ root: join(folder, "shop"), home: join(folder, "home"), path: undefined });

test("the repository's PM2 comes before that of svcm's neighbours", async () => {
  const own = install("6.0.14");
  expect((await findPm2(places())).code).toEqual({ folder: own, version: "6.0.14", by: "the repository" });
  rmSync(own, { recursive: true });
  expect(findInstalledPm2(places()).code?.by).toBe("svcm's neighbours");
});

test("a folder of another user is not loaded, and the answer names it", () => {
  if (process.geteuid?.() !== 0) return;
  const own = install("7.0.4");
  chownSync(join(own, "package.json"), 12_345, 12_345);
  const found = findInstalledPm2(places());
  expect(found.code?.by).not.toBe("the repository");
  expect(found.refused).toEqual([`${own} belongs to another user`]);
  expect(noPm2Text({ ...found, code: undefined })).toContain(`Not used: ${own} belongs to another user.`);
});

test.each([
  ["5.3.1", false],
  ["5.4.0", true],
  ["7.0.4", true],
  ["10.0.0", true],
])("PM2 %s of the repository: used is %s", (version, isUsed) => {
  const own = install(version);
  const { code, refused } = findInstalledPm2(places());
  expect(code?.folder === own).toBe(isUsed);
  expect(refused).toEqual(isUsed ? [] : [`${own} is PM2 ${version}, and svcm needs 5.4 or newer`]);
});

test("another package in the folder is not PM2", () => {
  install("7.0.4", "not-pm2");
  expect(findInstalledPm2(places()).code?.by).not.toBe("the repository");
});
