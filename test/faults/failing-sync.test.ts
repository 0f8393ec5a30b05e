/** A disk that accepts writes and then fails to sync them. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { commandLine, run } from "../support/child.ts";
import { envFile, type Refusal } from "../support/env-file.ts";
import { canInject } from "../support/machine.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { longTest } from "../support/runs.ts";

describe.skipIf(!canInject)("with a failing disk (needs strace)", () => {
  test.each([
    ["EIO", "i/o error"],
    ["EDQUOT", "the disk quota is used up"],
  ])("the file cannot be synced: %s", async (code, words) => {
    const folder = temporaryFolder();
    const { path } = envFile(folder);
    const failFirst = ["-e", "trace=fsync", "-e", `inject=fsync:error=${code}:when=1`];
    const [first, second] = await replaceTwice(path, ...failFirst);
    expect(first).toEqual({ code, path, message: `Cannot write ${path}: ${words}.` });
    expect(second).toEqual({ ok: true });
    expect(readFileSync(path, "utf8")).toBe("A=2\n");
    expect(readdirSync(folder)).toEqual([".env.dev"]);
  });

  test("if every sync fails, the file has only the old content", async () => {
    const folder = temporaryFolder();
    const { path, expectUntouched } = envFile(folder);
    const [first, second] = await replaceTwice(path, "-e", "trace=fsync", "-e", "inject=fsync:error=EIO");
    expect([first, second]).toEqual([first, { ...first, code: "EIO", path }]);
    expectUntouched();
  });

  test("if the folder cannot be synced, the error says which file is in place", async () => {
    const folder = temporaryFolder();
    const { path } = envFile(folder);
    const failOfFolder = ["-P", folder, "-e", "trace=fsync", "-e", "inject=fsync:error=EIO:when=1"];
    const [first, second] = await replaceTwice(path, ...failOfFolder);
    expect(first).toMatchObject({
      code: "EIO",
      path,
      message: expect.stringMatching(/^The new content is in place, but may not survive a power cut\./) as string,
    });
    expect(second).toEqual({ ok: true });
    expect(readFileSync(path, "utf8")).toBe("A=2\n");
    expect(readdirSync(folder)).toEqual([".env.dev"]);
  });

  longTest.each(["", "..", "audit.jsonl"])(
    "an audit record whose %j beside the log cannot be synced: EIO",
    async (unsynced) => {
      const top = temporaryFolder();
      const file = join(top, ".svcm", "audit.jsonl");
      const place = join(top, ".svcm", unsynced);
      const strace = [
        "strace",
        "-f",
        "-o",
        "/dev/null",
        "-P",
        place,
        "-e",
        "trace=fsync",
        "-e",
        "inject=fsync:error=EIO",
      ];
      const lines = await run([...strace, ...commandLine("append-records", file, "a", "1")]);
      expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([{ code: "EIO", path: file }]);
    },
  );
});

/** Two writes, of which the kernel fails the first sync. A single thread makes the count predictable. */
async function replaceTwice(path: string, ...filter: string[]): Promise<[Refusal, unknown]> {
  const strace = ["strace", "-f", "-o", "/dev/null", ...filter];
  const lines = await run([...strace, ...commandLine("replace", path, "A=1\n", "A=2\n")], {
    UV_THREADPOOL_SIZE: "1",
  });
  const [first, second] = lines.map((line) => JSON.parse(line) as unknown);
  return [first as Refusal, second];
}
