import {
  chmodSync,
  chownSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { nodeFiles } from "../../../src/core/files/index.ts";
import { isRoot } from "../../support/machine.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const OLD = "A=old\n";
const NEW = Buffer.from("A=new\n");

function setUp() {
  const folder = temporaryFolder();
  const config = join(folder, "config");
  const path = join(config, ".env.dev");
  mkdirSync(config);
  writeFileSync(path, OLD);
  const files = nodeFiles({ allowedFolders: [config], maxBytes: 100 });
  return { folder, config, path, files, text: () => readFileSync(path, "utf8"), names: () => readdirSync(config) };
}

test("a file that the user names may be outside of the folders, and one inside still may not lead there", async () => {
  const { folder, config, files } = setUp();
  const outside = join(folder, "plan.json");
  const options = { mayBeOutside: true };
  await expect(files.create(outside, NEW)).rejects.toMatchObject({ code: "EOUTSIDE" });
  await files.create(outside, NEW, undefined, options);
  await files.replace(outside, () => Buffer.from("B\n"), undefined, options);
  expect(readFileSync(outside, "utf8")).toBe("B\n");
  symlinkSync(outside, join(config, "link"));
  const change = files.replace(join(config, "link"), () => NEW, undefined, options);
  await expect(change).rejects.toMatchObject({ code: "EOUTSIDE" });
});

describe("Files.replace", () => {
  test("writes the decided content and leaves no other file", async () => {
    const { files, path, text, names } = setUp();
    const seen: string[] = [];
    const result = await files.replace(path, (current) => {
      seen.push(Buffer.from(current).toString());
      return NEW;
    });
    expect(seen).toEqual([OLD]);
    expect(Buffer.from(result)).toEqual(NEW);
    expect(text()).toBe("A=new\n");
    expect(names()).toEqual([".env.dev"]);
  });

  test.each([0o600, 0o640, 0o644, 0o664, 0o4711])("keeps mode %o", async (mode) => {
    const { files, path } = setUp();
    chmodSync(path, mode);
    await files.replace(path, () => NEW);
    expect(statSync(path).mode & 0o7777).toBe(mode);
  });

  test.skipIf(!isRoot)("keeps owner and group, with a set-uid mode (needs root)", async () => {
    const { files, path } = setUp();
    chownSync(path, 1234, 4321);
    chmodSync(path, 0o4750);
    await files.replace(path, () => NEW);
    expect(statSync(path)).toMatchObject({ uid: 1234, gid: 4321, mode: 0o104750 });
  });

  test("keeps a link and replaces its target", async () => {
    const { config, files, path, text } = setUp();
    const link = join(config, "link");
    symlinkSync(".env.dev", link);
    await files.replace(link, () => NEW);
    expect(readlinkSync(link)).toBe(".env.dev");
    expect(text()).toBe("A=new\n");
    expect(statSync(path).isFile()).toBe(true);
  });

  test("can make a file empty", async () => {
    const { files, path, text } = setUp();
    await files.replace(path, () => Buffer.alloc(0));
    expect(text()).toBe("");
  });

  test("never shows a half-written file to readers", async () => {
    const { files, path } = setUp();
    const contents = ["a".repeat(100), "b".repeat(50)];
    await files.replace(path, () => Buffer.from(contents[0]!));
    const seen = new Set<string>();
    for (let i = 0; i < 100; i++) {
      const writing = files.replace(path, () => Buffer.from(contents[i % 2]!));
      const reads = Array.from({ length: 10 }, () => files.read(path));
      for (const bytes of await Promise.all(reads)) seen.add(Buffer.from(bytes).toString());
      await writing;
    }
    expect([...seen].toSorted()).toEqual(contents);
  });
});

describe("Files.replace writes nothing", () => {
  test("if decide returns undefined", async () => {
    const { files, path, text, names } = setUp();
    const before = statSync(path, { bigint: true });
    let announced = 0;
    const result = await files.replace(
      path,
      () => undefined,
      async () => void announced++,
    );
    const after = statSync(path, { bigint: true });
    expect(Buffer.from(result).toString()).toBe(OLD);
    expect([after.ino, after.mtimeNs, after.ctimeNs]).toEqual([before.ino, before.mtimeNs, before.ctimeNs]);
    expect([text(), names(), announced]).toEqual([OLD, [".env.dev"], 0]);
  });

  test("if decide throws, and passes the error on", async () => {
    const { files, path, text, names } = setUp();
    const defect = new TypeError("a defect");
    const replacing = files.replace(path, () => {
      throw defect;
    });
    await expect(replacing).rejects.toBe(defect);
    expect([text(), names()]).toEqual([OLD, [".env.dev"]]);
  });

  test("if beforeWrite throws, and passes the error on", async () => {
    const { files, path, text, names } = setUp();
    const refusal = Object.assign(new Error("no record"), { code: "EACCES" });
    const replacing = files.replace(
      path,
      () => NEW,
      () => Promise.reject(refusal),
    );
    await expect(replacing).rejects.toBe(refusal);
    expect([text(), names()]).toEqual([OLD, [".env.dev"]]);
    await files.replace(path, () => NEW);
    expect(text()).toBe("A=new\n");
  });

  test("if the new content is over the size cap", async () => {
    const { files, path, text, names } = setUp();
    const replacing = files.replace(path, () => Buffer.alloc(101));
    await expect(replacing).rejects.toMatchObject({ name: "FileError", code: "EFBIG", path });
    expect([text(), names()]).toEqual([OLD, [".env.dev"]]);
  });

  test.each([0o444, 0o400, 0o466])("if its mode %o does not permit the owner to write, also for root", async (mode) => {
    const { files, path, text, names } = setUp();
    chmodSync(path, mode);
    const announced: string[] = [];
    const replacing = files.replace(
      path,
      () => NEW,
      async () => void announced.push("write"),
    );
    await expect(replacing).rejects.toMatchObject({ name: "FileError", code: "EACCES", path });
    expect([text(), names(), announced]).toEqual([OLD, [".env.dev"], []]);
    await expect(files.replace(path, () => undefined)).resolves.toEqual(Buffer.from(OLD));
  });

  test("if a link leads out of the allowed folders", async () => {
    const { config, files, folder } = setUp();
    const outside = join(folder, "outside");
    const link = join(config, "link");
    writeFileSync(outside, OLD);
    symlinkSync(outside, link);
    const replacing = files.replace(link, () => NEW);
    await expect(replacing).rejects.toMatchObject({ name: "FileError", code: "EOUTSIDE", path: link });
    expect(readFileSync(outside, "utf8")).toBe(OLD);
    expect(readdirSync(folder).toSorted()).toEqual(["config", "outside"]);
  });

  test("if the path is missing or not a regular file", async () => {
    const { config, files, names } = setUp();
    const missing = join(config, "missing");
    await expect(files.replace(missing, () => NEW)).rejects.toMatchObject({ code: "ENOENT", path: missing });
    const folder = join(config, "folder");
    mkdirSync(folder);
    await expect(files.replace(folder, () => NEW)).rejects.toMatchObject({ code: "EISDIR", path: folder });
    expect(names().toSorted()).toEqual([".env.dev", "folder"]);
  });
});

describe("Files.replace beside a program that does not use the lock", () => {
  test("decides again if the file is saved in place meanwhile", async () => {
    const { files, path, text } = setUp();
    let runs = 0;
    let announced = 0;
    await files.replace(
      path,
      (current) => {
        if (runs++ === 0) writeFileSync(path, "B=1\n");
        return Buffer.concat([current, NEW]);
      },
      async () => void announced++,
    );
    expect(text()).toBe("B=1\nA=new\n");
    expect([runs, announced]).toEqual([2, 1]);
  });

  test("decides again if the file is replaced right before the write", async () => {
    const { config, files, path, text, names } = setUp();
    await files.replace(
      path,
      (current) => Buffer.concat([current, NEW]),
      async () => {
        writeFileSync(join(config, "editor"), "C=1\n");
        renameSync(join(config, "editor"), path);
      },
    );
    expect(text()).toBe("C=1\nA=new\n");
    expect(names()).toEqual([".env.dev"]);
  });

  test("keeps a mode that changes meanwhile", async () => {
    const { files, path } = setUp();
    await files.replace(
      path,
      () => NEW,
      async () => chmodSync(path, 0o604),
    );
    expect(statSync(path).mode & 0o7777).toBe(0o604);
  });

  test("writes the new target of a link that moves meanwhile", async () => {
    const { config, files } = setUp();
    const link = join(config, "link");
    writeFileSync(join(config, "next"), "D=1\n");
    symlinkSync(".env.dev", link);
    await files.replace(
      link,
      (current) => Buffer.concat([current, NEW]),
      async () => {
        rmSync(link);
        symlinkSync("next", link);
      },
    );
    expect(readFileSync(join(config, "next"), "utf8")).toBe("D=1\nA=new\n");
    expect(readFileSync(join(config, ".env.dev"), "utf8")).toBe(OLD);
  });

  test("does not restore a file that is removed meanwhile", async () => {
    const { files, path, names } = setUp();
    const replacing = files.replace(
      path,
      () => NEW,
      async () => rmSync(path),
    );
    await expect(replacing).rejects.toMatchObject({ name: "FileError", code: "ENOENT", path });
    expect(names()).toEqual([]);
  });

  test("gives up with ECHANGED if the file keeps changing", async () => {
    const { files, path, text, names } = setUp();
    let runs = 0;
    const replacing = files.replace(path, () => {
      writeFileSync(path, "E".repeat(++runs));
      return NEW;
    });
    await expect(replacing).rejects.toMatchObject({ name: "FileError", code: "ECHANGED", path });
    expect([runs, text(), names()]).toEqual([5, "EEEEE", [".env.dev"]]);
  });
});

test("Files.replace breaks a hard link: the other name keeps the old content", async () => {
  const { config, files, path, text } = setUp();
  linkSync(path, join(config, "twin"));
  await files.replace(path, () => NEW);
  expect([text(), readFileSync(join(config, "twin"), "utf8")]).toEqual(["A=new\n", OLD]);
});
