import { expect, test } from "vitest";
import { sharedReads } from "../../../../src/core/adapters/files/shared-reads.ts";

/** Files whose reads end when the test says so. */
function controlledFiles() {
  const reads: { path: string; end: (text: string) => void; fail: (error: Error) => void }[] = [];
  const shared = sharedReads(
    (path) =>
      new Promise((resolve, reject) => {
        reads.push({ path, end: (text) => resolve(Buffer.from(text)), fail: reject });
      }),
  );
  const read = async (path: string): Promise<string> => Buffer.from(await shared(path)).toString();
  return { reads, read };
}

test("a read that comes while another is under way waits for the next one, together with all others", async () => {
  const { reads, read } = controlledFiles();
  const first = read("a");
  const later = [read("a"), read("a"), read("a")];
  expect(reads).toHaveLength(1);
  reads[0]?.end("old");
  expect(await first).toBe("old");
  expect(reads).toHaveLength(2);
  const last = read("a");
  reads[1]?.end("new");
  expect(await Promise.all(later)).toEqual(["new", "new", "new"]);
  expect(reads).toHaveLength(3);
  reads[2]?.end("newest");
  expect(await last).toBe("newest");
});

test("reads of other files do not wait", async () => {
  const { reads, read } = controlledFiles();
  const both = [read("a"), read("b")];
  expect(reads.map(({ path }) => path)).toEqual(["a", "b"]);
  for (const { path, end } of reads) end(path);
  expect(await Promise.all(both)).toEqual(["a", "b"]);
});

test("a failure is that of the reads that shared it, and of no other", async () => {
  const { reads, read } = controlledFiles();
  const first = read("a");
  const second = [read("a"), read("a")];
  reads[0]?.fail(new Error("first"));
  await expect(first).rejects.toThrow("first");
  reads[1]?.fail(new Error("second"));
  for (const one of second) await expect(one).rejects.toThrow("second");
  const third = read("a");
  reads[2]?.end("fine");
  expect(await third).toBe("fine");
});
