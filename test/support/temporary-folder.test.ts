import { existsSync } from "node:fs";
import { beforeAll, describe, expect, test } from "vitest";
import { temporaryFolder, whenTestsOver } from "./temporary-folder.ts";

describe("a set-up for several tests", () => {
  const ended: string[] = [];
  let folder: string;

  describe("while they run", () => {
    const whenOver = whenTestsOver();
    beforeAll(() => {
      folder = temporaryFolder(whenOver);
      whenOver(() => void ended.push(existsSync(folder) ? "before its folder" : "after its folder"));
    });
    test("is there", () => expect([existsSync(folder), ended]).toEqual([true, []]));
  });

  test("ends after them, in reverse order", () => {
    expect([existsSync(folder), ended]).toEqual([false, ["before its folder"]]);
  });
});
