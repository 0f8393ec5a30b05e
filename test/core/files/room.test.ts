import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { homeCode } from "../../../src/core/api/errors.ts";
import { readRoom, roomText } from "../../../src/core/files/host.ts";
import { systemCode } from "../../../src/core/files/system.ts";
import { canMount, mount } from "../../support/machine.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

test.skipIf(!canMount)("no free file is not the same as no limit of files (needs root and mount)", () => {
  const few = join(temporaryFolder(), "few");
  mount(few, "-t", "tmpfs", "-o", "size=1m,nr_inodes=3", "tmpfs");
  for (const name of ["a", "b"]) writeFileSync(join(few, name), "");
  expect(roomText(readRoom(few))).toBe("1 MiB and 0 files are free");
  const endless = join(temporaryFolder(), "endless");
  mount(endless, "-t", "tmpfs", "-o", "size=1m,nr_inodes=0", "tmpfs");
  expect(readRoom(endless)).toMatchObject({ files: undefined, totalBytes: 2 ** 20 });
});

test.skipIf(process.platform !== "linux")("a used quota has its code, for which Node.js has no name", () => {
  const error = Object.assign(new Error("write"), { code: "Unknown system error -122", errno: -122 });
  expect(systemCode(error)).toBe("EDQUOT");
});

test("at the limit of open files, PM2_HOME is not called unusable", () => {
  expect(["EMFILE", "ENFILE", "EROFS", "ENOSPC"].map(homeCode)).toEqual([
    "EMFILE",
    "EMFILE",
    "PM2_HOME_UNUSABLE",
    "PM2_HOME_UNUSABLE",
  ]);
});
