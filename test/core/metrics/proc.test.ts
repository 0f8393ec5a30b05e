import { readFileSync } from "node:fs";
import { endianness } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  hasEnded,
  parseAuxv,
  parseLoadavg,
  parseMeminfo,
  parsePidIo,
  parsePidStat,
  parsePidStatm,
  parseStat,
} from "../../../src/core/files/proc.ts";

const fixture = (name: string): string => readFileSync(join(import.meta.dirname, "../../fixtures/proc", name), "utf8");

describe("/proc/stat", () => {
  test("/proc/stat: waiting for a disk is idle, stolen time is busy, guest time is not counted twice", () => {
    expect(parseStat(fixture("stat.txt"))).toEqual({
      all: { busy: 170, total: 1010 },
      cores: new Map([
        [0, { busy: 100, total: 520 }],
        [2, { busy: 70, total: 490 }],
      ]),
    });
  });

  test("/proc/stat: any other text has no cores", () => {
    expect(parseStat("intr 5\n")).toEqual({ all: null, cores: new Map() });
  });
});

describe("/proc/meminfo", () => {
  test("/proc/meminfo: sizes are bytes", () => {
    expect(parseMeminfo(fixture("meminfo.txt"))).toEqual({
      totalBytes: 16_777_216_000,
      freeBytes: 1_048_576_000,
      availableBytes: 8_388_608_000,
    });
  });

  test("/proc/meminfo: an estimate that an old kernel does not report is null", () => {
    expect(parseMeminfo("MemTotal: 5 kB\n")).toEqual({ totalBytes: 5120, freeBytes: null, availableBytes: null });
  });
});

test("/proc/loadavg", () => {
  expect(parseLoadavg("0.52 1.58 12.01 3/513 4711\n")).toEqual({ one: 0.52, five: 1.58, fifteen: 12.01 });
  expect(parseLoadavg("")).toBeNull();
});

describe("/proc/<pid>/stat", () => {
  const of = (name: string, state = "S"): string =>
    `4711 (${name}) ${state} 1 4711 4711 0 -1 4194304 100 0 0 0 150 50 7 7 20 0 1 0 1086308 3133440 408 184\n`;

  test.each(["node", "PM2 v7: God (x)", "a) R 1 (b", ") ) )", "line\nbreak"])(
    "/proc/<pid>/stat of a program with the name %j",
    (name) => {
      expect(parsePidStat(of(name))).toEqual({
        state: "S",
        parentPid: 1,
        cpuTicks: 200,
        threads: 1,
        startTime: "1086308",
      });
    },
  );

  test("/proc/<pid>/stat: a zombie without other threads has ended", () => {
    const ended = ["Z", "X", "S", "R", "D", "T"].filter((state) => hasEnded(parsePidStat(of("x", state))!));
    expect(ended).toEqual(["Z", "X"]);
    expect(hasEnded({ ...parsePidStat(of("x", "Z"))!, threads: 2 })).toBe(false);
  });

  test("/proc/<pid>/stat: any other text is refused", () => {
    expect(parsePidStat("")).toBeUndefined();
    expect(parsePidStat("4711 (node) S 1")).toBeUndefined();
  });
});

test("/proc/<pid>/statm", () => {
  expect(parsePidStatm("765 408 300 1 0 90 0\n")).toBe(408);
  expect(parsePidStatm("")).toBeNull();
});

test("/proc/<pid>/io counts storage, but not caches and pipes", () => {
  const text =
    "rchar: 9\nwchar: 9\nsyscr: 9\nsyscw: 9\nread_bytes: 4096\nwrite_bytes: 8192\ncancelled_write_bytes: 1\n";
  expect(parsePidIo(text)).toEqual({ readBytes: 4096, writeBytes: 8192 });
  expect(parsePidIo("")).toBeUndefined();
});

describe("/proc/self/auxv", () => {
  const pairs = (...words: number[]): Uint8Array => new Uint8Array(new BigUint64Array(words.map(BigInt)).buffer);

  test("/proc/self/auxv has page size and clock ticks", () => {
    const isLittleEndian = endianness() === "LE";
    expect(parseAuxv(pairs(3, 64, 6, 65_536, 17, 250, 0, 0), isLittleEndian)).toEqual({
      pageBytes: 65_536,
      ticksPerSecond: 250,
    });
  });

  test("/proc/self/auxv without units means the usual units", () => {
    expect(parseAuxv(new Uint8Array(), true)).toEqual({ pageBytes: 4096, ticksPerSecond: 100 });
  });
});
