/** Real disks that fill up between any two steps of a rotation, while the app goes on writing. */
import {
  closeSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { expect, test } from "vitest";
import type { CutWay } from "../../../../src/core/api/names.ts";
import { nodeLogCare } from "../../../../src/core/logs/care/log-care.node.ts";
import { ext4Image } from "../../../support/ext4-image.ts";
import { canLoopMount, canMount, mount } from "../../../support/machine.ts";
import { sampleOrAll } from "../../../support/runs.ts";
import { temporaryFolder } from "../../../support/temporary-folder.ts";

const PAGE = 4096;
const LOG = "api-out.log";
const STEPS = ["planned", "copied", "saved", "cut", "blanked", "named", "packed", "unpacked gone", "cleared"];

/** A disk that `fill` leaves with that many free pages. */
function disk(way: CutWay) {
  const at = way === "collapse" ? ext4Image(temporaryFolder()).at : join(temporaryFolder(), "disk");
  if (way === "truncate") mount(at, "-t", "tmpfs", "-o", "size=6m", "tmpfs");
  const filler = join(at, "filler");
  const fill = (freePages: number): void => {
    const fd = openSync(filler, "w");
    let size = 0;
    for (let chunk = 2 ** 20; chunk >= 1; chunk = Math.floor(chunk / 2)) while (wrote(chunk)) size += chunk;
    ftruncateSync(fd, Math.max(0, size - freePages * PAGE));
    closeSync(fd);
    function wrote(bytes: number): boolean {
      try {
        return writeSync(fd, Buffer.alloc(bytes, 1), 0, bytes, size) === bytes;
      } catch {
        return false;
      }
    }
  };
  return { at, fill, free: () => rmSync(filler) };
}

/** As an app writes: until the disk takes no more, and even half a line. Returns what is in the log. */
function append(path: string, text: string): string {
  const fd = openSync(path, "a");
  try {
    return text.slice(0, writeSync(fd, text));
  } catch {
    return "";
  } finally {
    closeSync(fd);
  }
}

function linesOf(folder: string): string[] {
  const rotated = readdirSync(folder).filter((name) => name.startsWith(`${LOG}.`));
  return [...rotated.toSorted(), LOG].flatMap((name) => {
    const bytes = readFileSync(join(folder, name));
    return toLines((name.endsWith(".gz") ? gunzipSync(bytes) : bytes).toString());
  });
}
const toLines = (text: string): string[] => text.split("\n").filter((line) => line !== "");
const numbered = (from: number, to: number): string =>
  Array.from({ length: to - from }, (_, at) => `line ${from + at} ${"x".repeat((from + at) % 150)}\n`).join("");

const WAYS: CutWay[] = [...(canMount ? (["truncate"] as const) : []), ...(canLoopMount ? (["collapse"] as const) : [])];
const all = WAYS.flatMap((way) => STEPS.flatMap((step) => [0, 1, 2, 3, 5].map((pages) => [way, step, pages] as const)));
const sample = all.filter(([, step, pages]) => step === "saved" && pages < 3);

test.runIf(WAYS.length > 0).for(sampleOrAll(all, sample))(
  "%s: after the step %s, %i pages are free: no line is lost or doubled",
  async ([way, step, pages]) => {
    const { at, fill, free } = disk(way);
    const folder = join(at, "logs");
    mkdirSync(folder);
    mkdirSync(join(at, "home"));
    const path = join(folder, LOG);
    let text = numbered(0, 2000);
    writeFileSync(path, text);
    let isFull = false;
    const care = nodeLogCare({
      pm2Home: join(at, "home"),
      folders: [folder],
      nowMs: () => Date.parse("2026-11-27T08:00:00Z"),
      onStep(name) {
        if (name !== step || isFull) return;
        isFull = true;
        fill(pages);
        text += append(path, numbered(2000, 2100));
      },
    });
    const rotate = async (): Promise<string> => {
      const { dev, ino, size: bytes, mtimeMs: modifiedMs } = statSync(path);
      const facts = { app: "api", stream: "out", rotated: [], writers: [], watchedBy: [], earlier: null } as const;
      const log = { path, dev, ino, bytes, modifiedMs, ...facts, problem: null, isUnfinished: false };
      return await care.rotate(log, { way, maxBytes: 100 * 1024, keep: 100, compress: true }).then(
        () => "done",
        (error: { code?: string }) => String(error.code),
      );
    };
    expect(["done", "ENOSPC"]).toContain(await rotate());
    expect(isFull || step === "blanked").toBe(true);
    if (isFull) free();
    expect(await rotate()).toBe("done");
    expect(linesOf(folder)).toEqual(toLines(text));
    expect(readdirSync(folder).filter((name) => /copying|tmp/.test(name))).toEqual([]);
  },
);
