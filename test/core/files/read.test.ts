import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { nodeFiles } from "../../../src/core/files/index.ts";
import { readEnd, readIfExists, readIfReadable } from "../../../src/core/files/system.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

function setUp() {
  const folder = temporaryFolder();
  const config = join(folder, "config");
  const elsewhere = join(folder, "elsewhere");
  mkdirSync(config);
  mkdirSync(elsewhere);
  const read = (path: string) => nodeFiles({ allowedFolders: [config], maxBytes: 100 }).read(path);
  return { folder, config, elsewhere, path: join(config, ".env"), read };
}

const refusal = (code: string, path: string) => ({ name: "FileError", code, path });

describe("Files.read", () => {
  test.each(["", "A=1\n", "\u{feff}A=ü\r\n", "x".repeat(100)])("returns the bytes of %j", async (content) => {
    const { path, read } = setUp();
    writeFileSync(path, content);
    expect(Buffer.from(await read(path)).toString()).toBe(content);
  });

  test("follows links that stay inside", async () => {
    const { config, folder, path, read } = setUp();
    writeFileSync(path, "A=1\n");
    symlinkSync(".env", join(config, "link"));
    symlinkSync(config, join(folder, "other-way"));
    expect(Buffer.from(await read(join(folder, "other-way/link"))).toString()).toBe("A=1\n");
  });

  test("reads an outside path with mayBeOutside, but refuses a link that leads out", async () => {
    const { config, elsewhere, path } = setUp();
    const named = join(elsewhere, "named");
    writeFileSync(named, "A=1\n");
    symlinkSync(named, path);
    const files = nodeFiles({ allowedFolders: [config] });
    expect(Buffer.from(await files.read(named, { mayBeOutside: true })).toString()).toBe("A=1\n");
    expect(Buffer.from(await files.read(`${config}/../elsewhere/named`, { mayBeOutside: true })).toString()).toBe(
      "A=1\n",
    );
    await expect(files.read(path, { mayBeOutside: true })).rejects.toMatchObject(refusal("EOUTSIDE", path));
    await expect(files.read(named)).rejects.toMatchObject(refusal("EOUTSIDE", named));
    await expect(files.replace(named, () => Buffer.from("A=2\n"))).rejects.toMatchObject({ code: "EOUTSIDE" });
  });

  test("follows an allowed folder that is a link, also after the link moves", async () => {
    const { config, elsewhere, folder } = setUp();
    writeFileSync(join(config, ".env"), "A=old\n");
    writeFileSync(join(elsewhere, ".env"), "A=new\n");
    const current = join(folder, "current");
    const files = nodeFiles({ allowedFolders: [current] });
    const read = async () => Buffer.from(await files.read(join(current, ".env"))).toString();

    await expect(read()).rejects.toMatchObject({ code: "ENOENT" });
    symlinkSync(config, current);
    expect(await read()).toBe("A=old\n");
    rmSync(current);
    symlinkSync(elsewhere, current);
    expect(await read()).toBe("A=new\n");
  });
});

describe("Files.read refuses", () => {
  test("a missing file", async () => {
    const { path, read } = setUp();
    await expect(read(path)).rejects.toMatchObject({
      ...refusal("ENOENT", path),
      message: `Cannot open ${path}: no such file or directory.`,
    });
  });

  test("a directory", async () => {
    const { config, read } = setUp();
    const path = join(config, "folder");
    mkdirSync(path);
    await expect(read(path)).rejects.toMatchObject(refusal("EISDIR", path));
  });

  test.each([101, 2 ** 40])("a file of %i bytes, over the size cap", async (size) => {
    const { path, read } = setUp();
    writeFileSync(path, "");
    truncateSync(path, size);
    await expect(read(path)).rejects.toMatchObject(refusal("EFBIG", path));
  });

  test("a FIFO, at once", async () => {
    const { path, read } = setUp();
    execFileSync("mkfifo", [path]);
    await expect(read(path)).rejects.toMatchObject(refusal("ENOTREG", path));
  });

  test("a FIFO that is read for its text alone, at once", async () => {
    const { path } = setUp();
    execFileSync("mkfifo", [path]);
    expect([readIfReadable(path), readEnd(path, 10), String(await readIfExists(path))]).toEqual(["", "", ""]);
  });

  test("a socket", async () => {
    const { path, read } = setUp();
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(path, resolve));
    onTestFinished(() => void server.close());
    await expect(read(path)).rejects.toMatchObject(refusal("ENOTREG", path));
  });

  test("a link to a device", async () => {
    const { path } = setUp();
    symlinkSync("/dev/zero", path);
    const files = nodeFiles({ allowedFolders: ["/dev"] });
    await expect(files.read(path)).rejects.toMatchObject(refusal("ENOTREG", path));
  });

  test.each(["elsewhere/secret", "config-of-another/secret"])("a link that leads out, to %s", async (to) => {
    const { folder, path, read } = setUp();
    mkdirSync(join(folder, "config-of-another"));
    writeFileSync(join(folder, to), "A=1\n");
    symlinkSync(join(folder, to), path);
    await expect(read(path)).rejects.toMatchObject(refusal("EOUTSIDE", path));
  });

  test("a path that leaves the folder with ..", async () => {
    const { config, elsewhere, read } = setUp();
    writeFileSync(join(elsewhere, "secret"), "A=1\n");
    const path = `${config}/../elsewhere/secret`;
    await expect(read(path)).rejects.toMatchObject(refusal("EOUTSIDE", path));
  });

  test("an outside file, with its real path, the allowed folders and the option that allows another", async () => {
    const { config, elsewhere, path, read } = setUp();
    symlinkSync(join(elsewhere, "secret"), path);
    writeFileSync(join(elsewhere, "secret"), "A=1\n");
    await expect(read(path)).rejects.toMatchObject({
      message: `Cannot use ${path}: it leads to ${join(elsewhere, "secret")}, outside of ${config}; allow another folder with --root, with folders in svcm.yaml, or for env files with SVC_SERVICE_MANAGEMENT_CONFIG_DIR.`,
    });
  });

  test("a cycle of links", async () => {
    const { path, read } = setUp();
    symlinkSync(path, path);
    await expect(read(path)).rejects.toMatchObject(refusal("ELOOP", path));
  });
});
