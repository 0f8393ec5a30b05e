import { execFileSync } from "node:child_process";
import { mkdirSync, renameSync, symlinkSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { nodePorts, renderReport, deploymentsCheck, type Ports } from "../../../src/core/index.ts";
import { makeWorkspace } from "../../support/workspace.ts";
import { longTest } from "../../support/runs.ts";

const caller = { source: "cli", grants: ["read"] } as const;
const FILE = "deployments.yaml";
const GOOD = "version: service-management.v1\n";
const plain = (text: string): string => text;
const paint = { bold: plain, dim: plain, red: plain, yellow: plain, green: plain, cyan: plain };

function check(ports: Ports, file?: string) {
  return deploymentsCheck.run(ports, { file }, caller);
}

function utf16(text: string, order: "LE" | "BE", mark = "\uFEFF"): Buffer {
  const bytes = Buffer.from(mark + text, "utf16le");
  return order === "LE" ? bytes : bytes.swap16();
}

describe("bytes that are not UTF-8 are refused with their offset", () => {
  const broken = (hex: string): Buffer => Buffer.concat([Buffer.from("a: é\nb: "), Buffer.from(hex, "hex")]);
  const utf16Words = "The file is UTF-16, from byte offset 0 on. Save it as UTF-8.";
  const words = (offset: number, line = 2): string =>
    `The file is not UTF-8 text: byte offset ${offset}, in line ${line}.`;

  test.each([
    ["UTF-16 LE", utf16(GOOD, "LE"), utf16Words],
    ["UTF-16 BE", utf16(GOOD, "BE"), utf16Words],
    ["UTF-16 LE without a mark", utf16(GOOD, "LE", ""), utf16Words],
    ["UTF-16 BE without a mark", utf16(GOOD, "BE", ""), utf16Words],
    ["Latin-1", broken("e90a"), words(9)],
    ["a lone continuation", broken("80"), words(9)],
    ["an overlong slash", broken("c0af"), words(9)],
    ["an overlong sequence of three", broken("e08080"), words(9)],
    ["half a pair", broken("eda080"), words(9)],
    ["beyond Unicode", broken("f4908080"), words(9)],
    ["a sequence that the end cuts off", broken("f09f98"), words(9)],
    ["an invalid byte after valid ones", broken("f09f9880e282acff"), words(16)],
    ["the first byte", Buffer.from("ff", "hex"), words(0, 1)],
    ["a NUL", Buffer.from("a: 1\nb: \0\n"), "The file holds a NUL byte, so it is not text: byte offset 8, in line 2."],
    ["nothing but NUL", Buffer.alloc(64), "The file holds a NUL byte, so it is not text: byte offset 0, in line 1."],
  ])("%s", async (_, bytes, details) => {
    const workspace = makeWorkspace({ [FILE]: bytes });
    await expect(check(workspace.ports)).rejects.toMatchObject({
      kind: "SUITE_FILE_FAILED",
      body: { code: "SUITE_FILE_NOT_UTF8", path: workspace.path(FILE), details },
    });
  });

  test("a byte order mark of UTF-8 is not a fault, and does not count as a column", async () => {
    const { ports } = makeWorkspace({ [FILE]: "\uFEFFversion: 1.10\r\n" });
    const { response } = await check(ports);
    expect(response.issues).toMatchObject([{ code: "SUITE_TEXT_EXPECTED", at: { line: 1, column: 10 } }]);
  });
});

describe("a path that is not a readable file", () => {
  test.each([
    ["nothing", "SUITE_FILE_NOT_FOUND", () => undefined],
    ["a directory", "EISDIR", (path: string) => mkdirSync(path)],
    ["a FIFO", "ENOTREG", (path: string) => execFileSync("mkfifo", [path])],
    ["a broken link", "SUITE_FILE_NOT_FOUND", (path: string) => symlinkSync("nowhere.yaml", path)],
    ["a link to itself", "ELOOP", (path: string) => symlinkSync(path, path)],
    ["a link that leads outside", "EOUTSIDE", (path: string) => symlinkSync("/etc/passwd", path)],
  ])("%s is refused", async (_, code, make) => {
    const workspace = makeWorkspace();
    make(workspace.path(FILE));
    await expect(check(workspace.ports)).rejects.toMatchObject({
      kind: "SUITE_FILE_FAILED",
      body: { code, path: workspace.path(FILE) },
    });
  });

  test("a file over 4 MiB is refused before it is read, here a sparse file of a terabyte", async () => {
    const workspace = makeWorkspace({ [FILE]: GOOD });
    truncateSync(workspace.path(FILE), 2 ** 40);
    await expect(check(workspace.ports)).rejects.toMatchObject({
      body: { code: "EFBIG", details: expect.stringContaining("larger than 4194304 bytes") as string },
    });
  });

  test("a file of exactly 4 MiB is read, and one with a byte more is not", async () => {
    const text = GOOD + `#${"x".repeat(4 * 2 ** 20 - GOOD.length - 1)}`;
    const workspace = makeWorkspace({ [FILE]: text });
    expect((await check(workspace.ports)).response.valid).toBe(true);
    workspace.write(FILE, `${text}x`);
    await expect(check(workspace.ports)).rejects.toMatchObject({ body: { code: "EFBIG" } });
  });
});

describe("a file is found", () => {
  test("through a link inside the repository, under the requested name", async () => {
    const workspace = makeWorkspace({ "config/real.yaml": "version: 1\n" });
    symlinkSync("config/real.yaml", workspace.path(FILE));
    expect((await check(workspace.ports)).response).toMatchObject({ file: FILE, issues: [{ at: { file: FILE } }] });
  });

  test("in a repository whose path has spaces and other alphabets", async () => {
    const { root } = makeWorkspace({ "inner/deploy ménts 服务.yaml": "version: 1\n" });
    const folder = join(root, "mein Dienst — сервис #1 %20");
    renameSync(join(root, "inner"), folder);
    const file = "deploy ménts 服务.yaml";
    const { report, response } = await check(nodePorts({ root: folder, env: {}, cwd: folder }), file);
    expect(response.issues).toMatchObject([{ code: "SUITE_TEXT_EXPECTED", at: { file, line: 1, column: 10 } }]);
    const context = { paint, version: "1", now: 0, hostname: "h" };
    expect(await renderReport(report, "sarif", context)).toContain(`"uri": "${encodeURIComponent(file)}"`);
  });
});

longTest("of a hundred thousand wrong keys in one map, a thousand are reported and a hundred are shown", async () => {
  const text = Array.from({ length: 100_000 }, (_, index) => `key${index}: 1`).join("\n");
  const { ports } = makeWorkspace({ [FILE]: text });
  const { report, response } = await check(ports);
  expect(response.issues).toHaveLength(1001);
  expect(response.issues.at(-1)).toMatchObject({ at: { line: 1000, column: 1 } });
  const context = { paint, version: "1", now: 0, hostname: "h" };
  for (const format of ["text", "github"] as const) {
    const shown = await renderReport(report, format, context);
    expect(shown.match(/ error .*\[SUITE_UNKNOWN_KEY\]/g)).toHaveLength(99);
    expect(shown).toMatch(/and 901 more$/m);
  }
});
