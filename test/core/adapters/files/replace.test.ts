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
import { nodeFiles } from "../../../../src/core/adapters/files/index.ts";
import { isRoot } from "../../../support/machine.ts";
import { temporaryFolder } from "../../../support/temporary-folder.ts";

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

describe("a replaced file", () => {
  test("holds what was decided, and nothing is left beside it", async () => {
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

  test("that is reached through a link leaves the link as it is", async () => {
    const { config, files, path, text } = setUp();
    const link = join(config, "link");
    symlinkSync(".env.dev", link);
    await files.replace(link, () => NEW);
    expect(readlinkSync(link)).toBe(".env.dev");
    expect(text()).toBe("A=new\n");
    expect(statSync(path).isFile()).toBe(true);
  });

  test("may become empty", async () => {
    const { files, path, text } = setUp();
    await files.replace(path, () => Buffer.alloc(0));
    expect(text()).toBe("");
  });

  test("is never seen half-written", async () => {
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

describe("nothing is written", () => {
  test("where decide wants no change", async () => {
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

  test("where decide throws, and what it threw passes through", async () => {
    const { files, path, text, names } = setUp();
    const defect = new TypeError("a defect");
    const replacing = files.replace(path, () => {
      throw defect;
    });
    await expect(replacing).rejects.toBe(defect);
    expect([text(), names()]).toEqual([OLD, [".env.dev"]]);
  });

  test("where beforeWrite throws, and what it threw passes through", async () => {
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

  test("where the new content is over the size cap", async () => {
    const { files, path, text, names } = setUp();
    const replacing = files.replace(path, () => Buffer.alloc(101));
    await expect(replacing).rejects.toMatchObject({ name: "FileError", code: "EFBIG", path });
    expect([text(), names()]).toEqual([OLD, [".env.dev"]]);
  });

  test.each([0o444, 0o400, 0o466])(
    "where its mode %o does not permit the owner to write, for root, too",
    async (mode) => {
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
    },
  );

  test("where a link leads out of the allowed folders", async () => {
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

  test("where there is no file, or something else than a file", async () => {
    const { config, files, names } = setUp();
    const missing = join(config, "missing");
    await expect(files.replace(missing, () => NEW)).rejects.toMatchObject({ code: "ENOENT", path: missing });
    const folder = join(config, "folder");
    mkdirSync(folder);
    await expect(files.replace(folder, () => NEW)).rejects.toMatchObject({ code: "EISDIR", path: folder });
    expect(names().toSorted()).toEqual([".env.dev", "folder"]);
  });
});

describe("a program that knows no lock", () => {
  test("and saves in place while we decide loses nothing", async () => {
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

  test("and saves by rename right before our write loses nothing", async () => {
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

  test("and changes only the mode has its mode kept", async () => {
    const { files, path } = setUp();
    await files.replace(
      path,
      () => NEW,
      async () => chmodSync(path, 0o604),
    );
    expect(statSync(path).mode & 0o7777).toBe(0o604);
  });

  test("and moves the link on has the new place written", async () => {
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

  test("and removes the file has it stay removed", async () => {
    const { files, path, names } = setUp();
    const replacing = files.replace(
      path,
      () => NEW,
      async () => rmSync(path),
    );
    await expect(replacing).rejects.toMatchObject({ name: "FileError", code: "ENOENT", path });
    expect(names()).toEqual([]);
  });

  test("and never rests makes us give up, with its content in place", async () => {
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

test("a hard link is split: the other name keeps the old content", async () => {
  const { config, files, path, text } = setUp();
  linkSync(path, join(config, "twin"));
  await files.replace(path, () => NEW);
  expect([text(), readFileSync(join(config, "twin"), "utf8")]).toEqual(["A=new\n", OLD]);
});
