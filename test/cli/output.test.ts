import { execFileSync, spawn, type StdioOptions } from "node:child_process";
import { once } from "node:events";
import { closeSync, constants, mkdirSync, openSync, writeFileSync } from "node:fs";
import { Socket } from "node:net";
import { dirname, join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { beforeEach, describe, expect, test } from "vitest";
import { plainEnvironment, RUN, svcm } from "../support/command-line.ts";
import { isLinux } from "../support/machine.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { longTest } from "../support/runs.ts";

const RECORDS = 900;
const MEBIBYTE = 1024 * 1024;
let root = "";

beforeEach(() => {
  root = temporaryFolder();
  const keys = Array.from({ length: 60 }, (_, index) => `SVC_A_RATHER_LONG_NAME_${index}`);
  const what = { action: "env.write", environment: "dev", keys, source: "cli", outcome: "succeeded" };
  const line = (id: number) =>
    `${JSON.stringify({ id: String(id), timestamp: "2026-01-01T00:00:00.000Z", ...what })}\n`;
  const file = join(root, ".svcm/audit.jsonl");
  mkdirSync(dirname(file));
  writeFileSync(file, Array.from({ length: RECORDS }, (_, id) => line(id)).join(""));
});

/** A command whose output exceeds any pipe buffer. */
function startLongAnswer(stdio: StdioOptions) {
  const argv = [RUN, "audit", "--limit", String(RECORDS), "--json"];
  return spawn(process.execPath, argv, { cwd: root, env: plainEnvironment(), stdio });
}

async function readSlowly(stream: AsyncIterable<Buffer>): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of stream) {
    pieces.push(piece);
    await setImmediate();
  }
  return Buffer.concat(pieces).toString();
}

/** The number of records in an output, which can be parsed only if it is complete. */
function countRecords(output: string): number {
  return (JSON.parse(output) as { records: unknown[] }).records.length;
}

describe("output that is larger than a pipe's buffer", () => {
  test("reaches a slow reader completely", async () => {
    const child = startLongAnswer(["ignore", "pipe", "inherit"]);
    const output = await readSlowly(child.stdout!);
    expect(output.length).toBeGreaterThan(MEBIBYTE);
    expect(countRecords(output)).toBe(RECORDS);
  });

  test.runIf(isLinux)("reaches the reader of a non-blocking pipe completely", async () => {
    const pipe = join(root, "pipe");
    execFileSync("mkfifo", [pipe]);
    const reader = new Socket({ fd: openSync(pipe, constants.O_RDONLY | constants.O_NONBLOCK), readable: true });
    const writer = openSync(pipe, constants.O_WRONLY | constants.O_NONBLOCK);
    const child = startLongAnswer(["ignore", writer, "inherit"]);
    closeSync(writer);
    expect(countRecords(await readSlowly(reader))).toBe(RECORDS);
    expect(child.exitCode ?? (await once(child, "close"))[0]).toBe(0);
  });

  test("ends without an error if the reader has closed the pipe", async () => {
    const child = startLongAnswer(["ignore", "pipe", "pipe"]);
    child.stdout!.destroy();
    const [complaint, [status]] = await Promise.all([readSlowly(child.stderr!), once(child, "close")]);
    expect({ status, complaint }).toEqual({ status: 0, complaint: "" });
  });
});

test.runIf(isLinux)("an output that cannot be written is reported as an error", async () => {
  const full = openSync("/dev/full", "w");
  const child = startLongAnswer(["ignore", full, "pipe"]);
  closeSync(full);
  const [complaint, [status]] = await Promise.all([readSlowly(child.stderr!), once(child, "close")]);
  expect({ status, complaint }).toEqual({
    status: 3,
    complaint: expect.stringMatching(
      /^Error: ENOSPC: no space left on device, write\n {2}standard output\nHint: .*\nENOSPC \(svcm explain ENOSPC\)\n$/,
    ),
  });
});

describe("colours", () => {
  const coloured = { FORCE_COLOR: "1" };
  const escape = "\u001B[";

  test("are not in output for a file or another program", () => {
    expect(svcm(["audit"], { cwd: root }).stdout).not.toContain(escape);
  });

  longTest("are shown with FORCE_COLOR", () => {
    expect(svcm(["audit"], { cwd: root, env: coloured }).stdout).toContain(escape);
  });

  test("are absent with NO_COLOR, even with FORCE_COLOR", () => {
    expect(svcm(["audit"], { cwd: root, env: { ...coloured, NO_COLOR: "1" } }).stdout).not.toContain(escape);
    expect(svcm(["--help"], { env: { ...coloured, NO_COLOR: "1" } }).stdout).not.toContain(escape);
  });
});
