import { chmodSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { commandLine, run } from "../support/child.ts";
import { envFile, NEW, type Refusal } from "../support/env-file.ts";
import { asNobody, canBeNobody, isRoot } from "../support/machine.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

describe.skipIf(!canBeNobody)("as another user (needs root, setpriv, and sources that every user may read)", () => {
  test.each([
    ["a folder that may not be written: EACCES", 0o755, "EACCES", "permission denied"],
    ["a folder that may be written, with a file whose owner cannot be kept: EPERM", 0o777, "EPERM", "keep the owner"],
    ["a folder that may be written but not listed, so that it cannot be synced: EACCES", 0o733, "EACCES", "denied"],
  ])("%s", async (_, mode, code, words) => {
    const folder = join(temporaryFolder(), "config");
    mkdirSync(folder);
    const { path, replaceBy, expectUntouched } = envFile(folder);
    chmodSync(path, 0o644);
    chmodSync(folder, mode);
    const refusal = await replaceAsNobody(folder, path);
    expect(refusal).toMatchObject({ code, path, message: expect.stringContaining(words) as string });
    expectUntouched();
    await replaceBy(NEW);
    expect(readFileSync(path)).toEqual(NEW);
  });
});

test.skipIf(isRoot)("a folder without write permission: EACCES (needs not to be root)", async () => {
  const folder = temporaryFolder();
  const { path, replaceBy, expectUntouched } = envFile(folder);
  chmodSync(folder, 0o555);
  await expect(replaceBy(NEW)).rejects.toMatchObject({ name: "FileError", code: "EACCES", path });
  expectUntouched();
  chmodSync(folder, 0o755);
  await replaceBy(NEW);
  expect(readFileSync(path)).toEqual(NEW);
});

async function replaceAsNobody(folder: string, path: string): Promise<Refusal> {
  chmodSync(join(folder, ".."), 0o755);
  const [line = ""] = await run([...asNobody, ...commandLine("replace", path, "A=1\n")]);
  return JSON.parse(line) as Refusal;
}
