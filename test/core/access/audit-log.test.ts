import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { auditLog } from "../../../src/core/access/audit-log.node.ts";
import type { AuditRecord } from "../../../src/core/api/audit-record.ts";
import { commandLine, run } from "../../support/child.ts";
import { newestRecord, recordOf } from "../../support/records.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

function setUp() {
  const folder = temporaryFolder();
  const file = join(folder, "audit.jsonl");
  const log = auditLog({ file });
  const lines = () => readFileSync(file, "utf8").split("\n");
  const newestIds = async (limit: number) => (await newestRecord(log, limit)).map(({ id }) => id);
  return { folder, file, log, lines, newestIds };
}
/** An invalid value for each field of a record. */
const WRONG_FIELDS: Readonly<Record<keyof AuditRecord, unknown>> = {
  id: 7,
  timestamp: "yesterday",
  action: null,
  environment: [],
  source: "toString",
  outcome: "perhaps",
  keys: "SVC_HTTP_PORT",
  target: 1,
  actor: {},
  client: 7,
  code: false,
  service: 1,
  processes: [{ name: "api", pmId: "3", pm2Home: "/home/ann/.pm2" }],
  address: 1,
  node: [],
  ms: -1,
  count: "2",
};

const modeOf = (path: string) => statSync(path).mode & 0o777;
const lineOf = (id: string) => `${JSON.stringify(recordOf(id))}\n`;

describe("audit log: append", () => {
  test("writes one line of JSON for each record", async () => {
    const { log, lines } = setUp();
    await log.append(recordOf("a", { actor: "two\nlines" }));
    await log.append(recordOf("b"));
    const [first = "", second = "", ...rest] = lines();
    expect(JSON.parse(first)).toEqual(recordOf("a", { actor: "two\nlines" }));
    expect(JSON.parse(second)).toEqual(recordOf("b"));
    expect(rest).toEqual([""]);
  });

  test("creates a private folder and log, and keeps them out of Git", async () => {
    const folder = join(temporaryFolder(), "deeper", ".svcm");
    const file = join(folder, "audit.jsonl");
    await auditLog({ file }).append(recordOf("a"));
    expect([modeOf(join(folder, "..")), modeOf(folder), modeOf(file)]).toEqual([0o700, 0o700, 0o600]);
    expect(readFileSync(join(folder, ".gitignore"), "utf8")).toBe("*\n");
  });

  test.each([0o666, 0o644, 0o620])("makes a log with mode %o private", async (mode) => {
    const { file, log } = setUp();
    writeFileSync(file, lineOf("a"));
    chmodSync(file, mode);
    await log.append(recordOf("b"));
    expect(modeOf(file)).toBe(0o600);
  });

  test("leaves existing folders and folders with another name unchanged", async () => {
    const folder = temporaryFolder();
    const [existing, other] = [join(folder, ".svcm"), join(folder, "log")];
    mkdirSync(existing);
    chmodSync(existing, 0o755);
    for (const place of [existing, other]) await auditLog({ file: join(place, "audit.jsonl") }).append(recordOf("a"));
    expect(existsSync(join(existing, ".gitignore"))).toBe(false);
    expect(existsSync(join(other, ".gitignore"))).toBe(false);
    expect(modeOf(existing)).toBe(0o755);
  });

  test("starts a new line after a line that a crash truncated", async () => {
    const { file, log, lines, newestIds } = setUp();
    writeFileSync(file, `${lineOf("a")}${lineOf("torn").slice(0, 30)}`);
    await log.append(recordOf("b"));
    expect(lines().map((line) => line.length)).toEqual([lineOf("a").length - 1, 30, lineOf("b").length - 1, 0]);
    expect(await newestIds(10)).toEqual(["b", "a"]);
  });

  test("continues in a new file after the old one was renamed", async () => {
    const { file, folder, log, lines } = setUp();
    await log.append(recordOf("a"));
    renameSync(file, join(folder, "audit.1.jsonl"));
    await log.append(recordOf("b"));
    expect(lines()).toEqual([JSON.stringify(recordOf("b")), ""]);
  });

  test("never mixes lines of several processes", async () => {
    const { file, lines } = setUp();
    const names = ["a", "b", "c"];
    await Promise.all(names.map((name) => run(commandLine("append-records", file, name, "200"))));
    const ids = lines()
      .filter((line) => line !== "")
      .map((line) => (JSON.parse(line) as { id: string }).id);
    const wanted = names.flatMap((name) => Array.from({ length: 200 }, (_, number) => `${name}-${number}`));
    expect(ids.toSorted()).toEqual(wanted.toSorted());
  });
});

describe("audit log: append refuses", () => {
  test("a log that is a directory", async () => {
    const { file, log } = setUp();
    mkdirSync(file);
    await expect(log.append(recordOf("a"))).rejects.toMatchObject({ name: "FileError", code: "EISDIR", path: file });
  });

  test("a log that is a FIFO, at once", async () => {
    const { file, log } = setUp();
    execFileSync("mkfifo", [file]);
    await expect(log.append(recordOf("a"))).rejects.toMatchObject({ name: "FileError", code: "ENOTREG", path: file });
    await expect(newestRecord(log, 1)).rejects.toMatchObject({ name: "FileError", code: "ENOTREG", path: file });
  });

  test("a log that is a link", async () => {
    const { file, folder, log } = setUp();
    writeFileSync(join(folder, "other"), "");
    symlinkSync("other", file);
    await expect(log.append(recordOf("a"))).rejects.toMatchObject({ name: "FileError", code: "ELOOP", path: file });
    expect(readFileSync(join(folder, "other"), "utf8")).toBe("");
  });

  test("a path below a file", async () => {
    const { file } = setUp();
    writeFileSync(file, "");
    const below = join(file, "audit.jsonl");
    await expect(auditLog({ file: below }).append(recordOf("a"))).rejects.toMatchObject({
      name: "FileError",
      code: "ENOTDIR",
      path: below,
    });
  });
});

describe("audit log: newest", () => {
  test("is empty without a log", async () => {
    expect(await setUp().newestIds(10)).toEqual([]);
  });

  test.each([
    [0, []],
    [2, ["c", "b"]],
    [3, ["c", "b", "a"]],
    [9, ["c", "b", "a"]],
  ])("with a limit of %i returns the newest records first", async (limit, ids) => {
    const { file, newestIds } = setUp();
    writeFileSync(file, ["a", "b", "c"].map(lineOf).join(""));
    expect(await newestIds(limit)).toEqual(ids);
  });

  test("combines the two lines of a mutation into one record", async () => {
    const { log } = setUp();
    const at = (second: number) => ({ timestamp: `2026-01-01T00:00:0${second}.000Z` });
    await log.append(recordOf("a", { outcome: "started", ...at(1) }));
    await log.append(recordOf("cut-off", { outcome: "started", ...at(2) }));
    const failed = recordOf("a", { outcome: "failed", code: "ENOSPC", ms: 12, ...at(3) });
    await log.append(failed);
    await log.append(recordOf("b", at(4)));
    expect(await newestRecord(log, 10)).toEqual([
      recordOf("b", at(4)),
      failed,
      recordOf("cut-off", { outcome: "started", ...at(2) }),
    ]);
    expect(await newestRecord(log, 2)).toEqual([recordOf("b", at(4)), failed]);
  });

  test("filters by outcome, age and a part of a name", async () => {
    const { log } = setUp();
    const api = { name: "orders-api", pmId: 3, pm2Home: "/home/ann/.pm2" };
    await log.append(recordOf("old", { timestamp: "2025-12-31T23:59:59.999Z" }));
    await log.append(recordOf("refused", { outcome: "refused", action: "process.stop", processes: [api] }));
    await log.append(recordOf("done"));
    const ids = async (query: object) => (await log.newest({ limit: 10, ...query })).records.map(({ id }) => id);
    expect(await ids({ outcome: "refused" })).toEqual(["refused"]);
    expect(await ids({ since: Date.parse("2026-01-01T00:00:00Z") })).toEqual(["done", "refused"]);
    expect(await ids({ text: "ORDERS" })).toEqual(["refused"]);
    expect(await ids({ text: "svc_http" })).toEqual(["done", "refused", "old"]);
  });

  test("reads old records: an empty environment, and a target for a process", async () => {
    const { file, log } = setUp();
    const old = { ...recordOf("a"), environment: "", target: "3", action: "process.stop" };
    writeFileSync(file, `${JSON.stringify(old)}\n`);
    const { environment: _, ...rest } = old;
    expect(await newestRecord(log, 1)).toEqual([rest]);
  });

  test.each([
    ["nothing", ""],
    ["no JSON", "what is this"],
    ["half a line", lineOf("x").slice(0, 40)],
    ["JSON of another kind", "[1]"],
    ["null", "null"],
    ...Object.entries(WRONG_FIELDS).map(([field, value]) => [
      `a wrong ${field}`,
      JSON.stringify({ ...recordOf("x"), [field]: value }),
    ]),
  ])("skips a line with %s", async (_, foreign = "") => {
    const { file, newestIds } = setUp();
    writeFileSync(file, `${lineOf("a")}${foreign}\n${lineOf("b")}${foreign}`);
    expect(await newestIds(10)).toEqual(["b", "a"]);
  });

  test("leaves out members that a record does not have", async () => {
    const { file, log } = setUp();
    writeFileSync(file, `${JSON.stringify({ ...recordOf("a"), value: "secret" })}\n`);
    expect(await newestRecord(log, 1)).toEqual([recordOf("a")]);
  });

  test("reads a large log from its end, also if lines cross chunks", async () => {
    const { file, newestIds } = setUp();
    const count = 2000;
    const ids = Array.from({ length: count }, (_, number) => `ü${number}-${"x".repeat(number % 97)}`);
    writeFileSync(file, `${"\0".repeat(3_000_000)}\n`);
    appendFileSync(file, ids.map(lineOf).join(""));
    expect(await newestIds(count + 1)).toEqual(ids.toReversed());
  });

  test("does not read bytes far from the end", async () => {
    const { file, newestIds } = setUp();
    const hole = 2 ** 40;
    writeFileSync(file, "");
    truncateSync(file, hole);
    appendFileSync(
      file,
      `\n${["a", "b", "c"].map((id) => JSON.stringify(recordOf(id, { outcome: "started" }))).join("\n")}\n`,
    );
    expect(await newestIds(2)).toEqual(["c", "b"]);
  });

  test("stops in a log without records and reports it as incomplete", async () => {
    const { file, log } = setUp();
    writeFileSync(file, lineOf("far-away"));
    truncateSync(file, 2 ** 40);
    expect(await log.newest({ limit: 10 })).toEqual({ records: [], isComplete: false });
    writeFileSync(file, `${lineOf("far-away")}${"\n".repeat(20_000_000)}${lineOf("near")}`);
    expect(await log.newest({ limit: 10 })).toEqual({ records: [recordOf("near")], isComplete: false });
    writeFileSync(file, `${lineOf("near")}${"\n".repeat(1_000_000)}`);
    expect(await log.newest({ limit: 10 })).toEqual({ records: [recordOf("near")], isComplete: true });
  });

  test("ends when the signal is aborted", async () => {
    const { file, log } = setUp();
    writeFileSync(file, lineOf("a"));
    const reason = new Error("gone");
    await expect(log.newest({ limit: 1 }, AbortSignal.abort(reason))).rejects.toBe(reason);
  });
});

describe("the audit logs of files and of processes", () => {
  test("are read as one log, by time", async () => {
    const { folder, file } = setUp();
    const pm2Home = join(folder, "pm2");
    const processFile = join(pm2Home, ".svcm", "audit.jsonl");
    const log = auditLog({ file, pm2Home });
    const at = (second: number) => ({ timestamp: `2026-01-01T00:00:0${second}.000Z` });
    await log.append(recordOf("write-1", at(1)));
    await log.append(recordOf("stop-2", { action: "process.stop", ...at(2) }));
    await log.append(recordOf("write-3", at(3)));
    await log.append(recordOf("stop-4", { action: "process.stop", ...at(4) }));
    const ids = (path: string) => readFileSync(path, "utf8").match(/(write|stop)-\d/g);
    expect([ids(file), ids(processFile)]).toEqual([
      ["write-1", "write-3"],
      ["stop-2", "stop-4"],
    ]);
    expect((await newestRecord(log, 10)).map(({ id }) => id)).toEqual(["stop-4", "write-3", "stop-2", "write-1"]);
    expect((await newestRecord(log, 2)).map(({ id }) => id)).toEqual(["stop-4", "write-3"]);
  });

  test("a successful action creates a missing PM2_HOME, a refusal does not", async () => {
    const { folder, file } = setUp();
    const pm2Home = join(folder, "nowhere", "pm2");
    const log = auditLog({ file, pm2Home });
    const refusal = recordOf("a", { action: "process.stop", outcome: "refused" });
    await expect(log.append(refusal)).rejects.toMatchObject({ name: "FileError", code: "ENOENT" });
    expect([existsSync(join(folder, "nowhere")), log.counts()]).toEqual([false, []]);
    await log.append(recordOf("b", { action: "process.start", outcome: "started" }));
    await log.append(refusal);
    expect((await newestRecord(log, 10)).map(({ id }) => id)).toEqual(["a", "b"]);
  });
});
