/** The limits of a container, from files as the kernel writes them in each version of control groups. */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { readGroupLimits } from "../../../src/core/files/group-limits.ts";
import { withinLimits } from "../../../src/core/metrics/machine/linux.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const MIB = 2 ** 20;

function limitsOf(files: Readonly<Record<string, string>>) {
  const root = temporaryFolder();
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), `${text}\n`);
  }
  return readGroupLimits(root);
}

const CG = "sys/fs/cgroup";
const V2 = {
  "proc/1/cgroup": "0::/",
  [`${CG}/cpu.max`]: "150000 100000",
  [`${CG}/cpu.stat`]: "usage_usec 2500000\nuser_usec 1",
  [`${CG}/memory.max`]: String(512 * MIB),
  [`${CG}/memory.current`]: String(300 * MIB),
  [`${CG}/memory.stat`]: `anon 1\ninactive_file ${100 * MIB}`,
};
const V1 = {
  "proc/1/cgroup": "9:memory:/docker/abc\n5:cpu,cpuacct:/docker/abc\n1:name=systemd:/docker/abc",
  [`${CG}/cpu/cpu.cfs_quota_us`]: "50000",
  [`${CG}/cpu/cpu.cfs_period_us`]: "100000",
  [`${CG}/cpuacct/cpuacct.usage`]: "2500000000",
  [`${CG}/memory/memory.limit_in_bytes`]: String(256 * MIB),
  [`${CG}/memory/memory.usage_in_bytes`]: String(300 * MIB),
  [`${CG}/memory/memory.stat`]: `inactive_file 1\ntotal_inactive_file ${100 * MIB}`,
};
const NONE = { cpu: null, memory: null };

describe("the limits of the first process", () => {
  test.each([
    [
      "a container of version 2",
      V2,
      { cpu: { cores: 1.5, usedMs: 2500 }, memory: { bytes: 512 * MIB, usedBytes: 200 * MIB } },
    ],
    [
      "a container of version 1",
      V1,
      { cpu: { cores: 0.5, usedMs: 2500 }, memory: { bytes: 256 * MIB, usedBytes: 200 * MIB } },
    ],
    ["no limit in version 2", { ...V2, [`${CG}/cpu.max`]: "max 100000", [`${CG}/memory.max`]: "max" }, NONE],
    [
      "no limit in version 1",
      { ...V1, [`${CG}/cpu/cpu.cfs_quota_us`]: "-1", [`${CG}/memory/memory.limit_in_bytes`]: "9223372036854771712" },
      NONE,
    ],
    ["no control groups", {}, NONE],
    ["files that say nothing", { ...V2, [`${CG}/cpu.max`]: "", [`${CG}/memory.max`]: "" }, NONE],
  ])("%s", (_name, files, limits) => {
    expect(limitsOf(files)).toEqual(limits);
  });

  test("the tightest group on the way to the root counts, with its own usage", () => {
    const files = {
      "proc/1/cgroup": "0::/pod/app",
      [`${CG}/pod/memory.max`]: "100",
      [`${CG}/pod/memory.current`]: "90",
      [`${CG}/pod/app/memory.max`]: "200",
      [`${CG}/pod/app/memory.current`]: "10",
      [`${CG}/pod/app/cpu.max`]: "100000 100000",
    };
    expect(limitsOf(files)).toEqual({ cpu: { cores: 1, usedMs: null }, memory: { bytes: 100, usedBytes: 90 } });
  });
});

const core = { busy: 10, total: 100 };
const machine = {
  all: core,
  cores: new Map([0, 1, 2, 3].map((at) => [at, core])),
  memory: { totalBytes: 8000, freeBytes: 50, availableBytes: 4000 },
  loadAvg: null,
};

test("the metrics of a container are those of its limits, and never more than the machine has left", () => {
  const reading = withinLimits(
    machine,
    { cpu: { cores: 2, usedMs: 500 }, memory: { bytes: 1000, usedBytes: 400 } },
    1000,
  );
  expect(reading.all).toEqual({ busy: 500, total: 2000 });
  expect(reading.memory).toEqual({ totalBytes: 1000, freeBytes: 50, availableBytes: 600 });
  const scarce = { ...machine, memory: { ...machine.memory, availableBytes: 90 } };
  const left = withinLimits(scarce, { cpu: null, memory: { bytes: 1000, usedBytes: 400 } }, 1000);
  expect(left.memory).toEqual({ totalBytes: 1000, freeBytes: 50, availableBytes: 90 });
});

test("a limit above the machine, an unknown use and no limit leave no false figure", () => {
  expect(withinLimits(machine, { cpu: { cores: 4, usedMs: 1 }, memory: { bytes: 8000, usedBytes: 1 } }, 1)).toEqual(
    machine,
  );
  expect(withinLimits(machine, { cpu: null, memory: null }, 1)).toEqual(machine);
  const unknown = withinLimits(
    machine,
    { cpu: { cores: 1, usedMs: null }, memory: { bytes: 1000, usedBytes: null } },
    1,
  );
  expect(unknown.all).toEqual(core);
  expect(unknown.memory).toEqual({ totalBytes: 1000, freeBytes: null, availableBytes: null });
});
