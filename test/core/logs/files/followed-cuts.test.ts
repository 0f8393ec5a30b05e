/** A follower that looks between any two steps of svcm's rotations, and only at some of them. */
import { appendFileSync, mkdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { nodeLogCare } from "../../../../src/core/logs/care/log-care.node.ts";
import { FileFollower } from "../../../../src/core/logs/files/worker/file-follower.ts";
import { LogFile } from "../../../../src/core/logs/files/worker/log-file.ts";
import { Tail } from "../../../../src/core/logs/files/worker/tail.ts";
import { propertyRuns, longTest } from "../../../support/runs.ts";
import { onDisk, temporaryFolder } from "../../../support/temporary-folder.ts";

const MAX_BYTES = 20_000;
const { way } = await nodeLogCare({ pm2Home: "/", folders: [], nowMs: Date.now }).wayAt(join(onDisk(), "x.log"));

function followed(begun: number) {
  const folder = temporaryFolder(undefined, onDisk());
  const home = join(folder, "home");
  mkdirSync(home);
  const path = join(folder, "api-out.log");
  const written: string[] = [];
  const writeLines = (lines: readonly string[]): void => {
    written.push(...lines);
    if (lines.length > 0) appendFileSync(path, `${lines.join("\n")}\n`);
  };
  const write = (count: number): void =>
    writeLines(Array.from({ length: count }, (_, at) => `line ${written.length + at} ${"x".repeat(at % 150)}`));
  writeFileSync(path, "");
  const owner = statSync(folder).uid;
  const target = { path, folders: [folder], owner, log: "0", app: "api", pmId: 0, stream: "out" } as const;
  write(begun);
  const tail = new Tail(target, 0, 0);
  const read: string[] = [];
  const look = (): void => {
    for (const part of tail.readAdded(0)) read.push(...part.map(({ text }) => text));
  };
  const rotate = async (onStep: () => void, kept: "collapse" | "truncate") => {
    const { dev, ino, size: bytes, mtimeMs: modifiedMs } = statSync(path);
    const facts = { app: "api", stream: "out", rotated: [], writers: [], watchedBy: [], earlier: null } as const;
    const log = { path, dev, ino, bytes, modifiedMs, ...facts, problem: null, isUnfinished: false };
    const care = nodeLogCare({ pm2Home: home, folders: [folder], nowMs: () => 0, onStep });
    return care.rotate(log, { way: kept, maxBytes: MAX_BYTES, keep: 100, compress: true });
  };
  return { tail, read, written, write, writeLines, look, rotate };
}

longTest.runIf(way === "collapse")("whenever a follower looks, it reads each line once", async () => {
  const moves = fc.infiniteStream(fc.record({ isLook: fc.boolean(), lines: fc.nat({ max: 30 }) }));
  const scene = fc.record({
    begun: fc.nat({ max: 60 }),
    isLook: fc.boolean(),
    bursts: fc.array(fc.nat({ max: 900 }), { minLength: 1, maxLength: 4 }),
    moves,
  });
  await fc.assert(
    fc.asyncProperty(scene, async ({ begun, isLook, bursts, moves: each }) => {
      const { tail, read, written, write, look, rotate } = followed(begun);
      if (isLook) look();
      for (const burst of bursts) {
        write(burst);
        await rotate(() => {
          const { value } = each.next();
          write(value.lines);
          if (value.isLook) look();
        }, "collapse");
      }
      write(1);
      look();
      tail.close();
      expect(read).toEqual(written);
    }),
    propertyRuns(6, 1000),
  );
});

test.runIf(way === "collapse")(
  "lines of one length and with one ending show a cut behind which the log has grown again",
  async () => {
    const { tail, read, written, writeLines, look, rotate } = followed(0);
    const write = (count: number): void =>
      writeLines(Array.from({ length: count }, (_, at) => `${written.length + at}`.padEnd(127, " GET /health 200")));
    write(250);
    look();
    await rotate(() => undefined, "collapse");
    write(300);
    look();
    tail.close();
    expect(read).toEqual(written);
  },
);

test("bytes of a log that was emptied and filled again between a look at it and the read are not taken", () => {
  const folder = temporaryFolder();
  const path = join(folder, "api-out.log");
  writeFileSync(path, "old\n".repeat(300));
  let onRead: (() => void) | undefined;
  class RacedLog extends LogFile {
    override read(into: Buffer, position: number): number {
      onRead?.();
      return super.read(into, position);
    }
  }
  const file = new RacedLog({ path, folders: [folder], owner: statSync(folder).uid });
  const follower = new FileFollower(file, file.size, 0);
  appendFileSync(path, "added\n");
  onRead = () => writeFileSync(path, "new\n".repeat(600));
  expect(follower.readAdded(file, 0)).toEqual([]);
  expect(follower.wasTruncated()).toBe(true);
  file.close();
});

test("a follower that has read nothing yet reads what was copied before the log was emptied", async () => {
  const { tail, read, written, write, look, rotate } = followed(0);
  write(900);
  await rotate(() => undefined, "truncate");
  write(3);
  look();
  tail.close();
  expect(read).toEqual(written);
});
