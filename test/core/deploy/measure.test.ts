import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { measureFolder } from "../../../src/core/deploy/machine/walk.ts";
import { onDisk, temporaryFolder } from "../../support/temporary-folder.ts";

test("a release is measured by what its files take on the disk, without its repository", () => {
  const folder = temporaryFolder(undefined, onDisk());
  for (const name of ["dist", ".git"]) mkdirSync(join(folder, name));
  writeFileSync(join(folder, "dist/app.js"), "x".repeat(300_000), { flush: true });
  writeFileSync(join(folder, ".git/pack"), "x".repeat(3_000_000), { flush: true });
  const { bytes, files } = measureFolder(folder);
  expect(files).toBe(3);
  expect(bytes).toBeGreaterThanOrEqual(300_000);
  expect(bytes).toBeLessThan(3_000_000);
});
