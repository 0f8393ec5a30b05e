/**
 * Writes to a disk that fails. After each refusal the file is complete, no other file is beside it or open, the error
 * names the env file, and the same adapter can write again.
 */
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { auditLog } from "../../src/core/access/audit-log.node.ts";
import { nodeFiles } from "../../src/core/files/index.ts";
import { ask, ENV, repository, testServer } from "../server/support.ts";
import { envFile, NEW, OLD } from "../support/env-file.ts";
import { canMount, mount } from "../support/machine.ts";
import { newestRecord, recordOf } from "../support/records.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

/** Files that this process has open below a folder. A descriptor may be closed during the check. */
function openBelow(folder: string): string[] {
  const descriptors = `/proc/${process.pid}/fd`;
  return readdirSync(descriptors).flatMap((descriptor) => {
    try {
      const name = readlinkSync(join(descriptors, descriptor));
      return name.startsWith(folder) ? [name] : [];
    } catch {
      return [];
    }
  });
}

describe.skipIf(!canMount)("on a separate file system (needs root and mount)", () => {
  test.each([0, 4096, 8192])(
    "a disk with %i bytes left for a lock, a file and a part of its content: ENOSPC",
    async (left) => {
      const folder = join(temporaryFolder(), "disk");
      mount(folder, "-t", "tmpfs", "-o", "size=64k", "tmpfs");
      const { path, replaceBy, expectUntouched } = envFile(folder);
      const filler = join(folder, "filler");
      writeFileSync(filler, Buffer.alloc(65_536 - 4096 - left));

      const big = Buffer.alloc(20_000, "x");
      await expect(replaceBy(big)).rejects.toMatchObject({
        name: "FileError",
        code: "ENOSPC",
        path,
        message: expect.stringContaining("no space is left on the disk") as string,
      });
      expectUntouched("filler");
      expect(openBelow(folder)).toEqual([]);

      rmSync(filler);
      await replaceBy(NEW);
      expect(readFileSync(path)).toEqual(NEW);
    },
  );

  test("a disk without room for another file is reported as ENOSPC", async () => {
    const folder = join(temporaryFolder(), "disk");
    mount(folder, "-t", "tmpfs", "-o", "size=64k,nr_inodes=4", "tmpfs");
    const { path, replaceBy, expectUntouched } = envFile(folder);
    writeFileSync(join(folder, "one"), "");
    writeFileSync(join(folder, "two"), "");
    await expect(replaceBy(NEW)).rejects.toMatchObject({ name: "FileError", code: "ENOSPC", path });
    expectUntouched("one", "two");
    rmSync(join(folder, "one"));
    // Now there is space for the lock, but not for the new file beside it.
    await expect(replaceBy(NEW)).rejects.toMatchObject({ name: "FileError", code: "ENOSPC", path });
    expectUntouched("two");
    rmSync(join(folder, "two"));
    await replaceBy(NEW);
    expect(readFileSync(path)).toEqual(NEW);
  });

  test("a read-only disk is reported as EROFS", async () => {
    const folder = join(temporaryFolder(), "disk");
    mount(folder, "-t", "tmpfs", "tmpfs");
    const { path, replaceBy, expectUntouched } = envFile(folder);
    execFileSync("mount", ["-o", "remount,ro", folder]);
    await expect(replaceBy(NEW)).rejects.toMatchObject({ name: "FileError", code: "EROFS", path });
    expectUntouched();
    execFileSync("mount", ["-o", "remount,rw", folder]);
    await replaceBy(NEW);
    expect(readFileSync(path)).toEqual(NEW);
  });

  test("a disk that becomes read-only during a write is reported as EROFS, and svcm's lock does not block later writes", async () => {
    const folder = join(temporaryFolder(), "disk");
    mount(folder, "-t", "tmpfs", "tmpfs");
    const { path } = envFile(folder);
    const files = nodeFiles({ allowedFolders: [folder], lockTimeoutMs: 0 });
    const remount = (how: string) => void execFileSync("mount", ["-o", `remount,${how}`, folder]);
    const replacing = files.replace(
      path,
      () => NEW,
      async () => remount("ro"),
    );
    await expect(replacing).rejects.toMatchObject({ name: "FileError", code: "EROFS", path });
    expect(readFileSync(path)).toEqual(OLD);
    remount("rw");
    await files.replace(path, () => NEW);
    expect(readFileSync(path)).toEqual(NEW);
    expect(readdirSync(folder)).toEqual([".env.dev"]);
  });

  test("a file that is a mount point is reported as EBUSY, with the next step", async () => {
    const folder = temporaryFolder();
    const { path, replaceBy, expectUntouched } = envFile(folder);
    const source = join(temporaryFolder(), "source");
    writeFileSync(source, OLD);
    execFileSync("mount", ["--bind", source, path]);
    try {
      await expect(replaceBy(NEW)).rejects.toMatchObject({
        name: "FileError",
        code: "EBUSY",
        path,
        message: expect.stringContaining("mount its directory instead") as string,
      });
      expectUntouched();
      expect(readFileSync(source)).toEqual(OLD);
    } finally {
      execFileSync("umount", [path]);
    }
    await replaceBy(NEW);
    expect(readFileSync(path)).toEqual(NEW);
  });

  test("an audit record on a full disk is refused, and the next record is complete", async () => {
    const folder = join(temporaryFolder(), "disk");
    mount(folder, "-t", "tmpfs", "-o", "size=16k", "tmpfs");
    const [file, filler] = [join(folder, "audit.jsonl"), join(folder, "filler")];
    const log = auditLog({ file });
    const padding = "x".repeat(3000);
    await log.append(recordOf("first", { actor: padding }));
    writeFileSync(filler, Buffer.alloc(16_384 - 4096));
    await expect(log.append(recordOf("refused", { actor: padding }))).rejects.toMatchObject({
      name: "FileError",
      code: "ENOSPC",
      path: file,
    });
    rmSync(filler);
    await log.append(recordOf("last"));
    expect((await newestRecord(log, 10)).map(({ id }) => id)).toEqual(["last", "first"]);
  });

  test("a read-only disk is reported as the reason, also if the folder of the log is missing", async () => {
    const folder = join(temporaryFolder(), "disk");
    mount(folder, "-t", "tmpfs", "-o", "size=16k,ro", "tmpfs");
    const file = join(folder, ".svcm", "audit.jsonl");
    const reason = {
      name: "FileError",
      code: "EROFS",
      path: file,
      message: `Cannot record a change in ${file}: the file system is mounted read-only.`,
    };
    await expect(auditLog({ file }).append(recordOf("a"))).rejects.toMatchObject(reason);
    await expect(auditLog({ file }).check()).rejects.toMatchObject(reason);
  });

  test("a server on a read-only disk starts, and warns that changes will be refused", async () => {
    const folder = join(temporaryFolder(), "disk");
    mount(folder, "-t", "tmpfs", "-o", "size=16k,ro", "tmpfs");
    const files = repository({ ".env.dev": "SVC_HTTP_FRAMEWORK=express\n" });
    const env = { SVC_SERVICE_MANAGEMENT_AUDIT_FILE: join(folder, ".svcm", "audit.jsonl") };
    const { log, port } = await testServer({ repository: files, env });
    expect((await ask({ port }, ENV)).status).toBe(200);
    expect(log.join("")).toMatch(
      /the file system is mounted read-only\. Changes will be refused\. Set SVC_SERVICE_MANAGEMENT_AUDIT_FILE/,
    );
  });
});
