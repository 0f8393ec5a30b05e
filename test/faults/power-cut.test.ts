import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { auditLog } from "../../src/core/access/audit-log.node.ts";
import { nodeFiles } from "../../src/core/files/index.ts";
import { commandLine, start } from "../support/child.ts";
import { afterPowerCut, ext4Image } from "../support/ext4-image.ts";
import { canLoopMount } from "../support/machine.ts";
import { newestRecord, recordOf } from "../support/records.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { contentOf, versionOf } from "../support/versions.ts";
import { longTest } from "../support/runs.ts";

describe.skipIf(!canLoopMount)("a power cut (needs root, mkfs.ext4 and a loop mount)", () => {
  longTest("after an acknowledged write loses neither the write nor its audit record", async () => {
    const folder = temporaryFolder();
    const image = ext4Image(folder);
    const [env, audit] = ["config/.env.dev", ".svcm/audit.jsonl"] as const;
    mkdirSync(join(image.at, "config"));
    writeFileSync(join(image.at, env), contentOf(0));
    execFileSync("sync", ["-f", image.at]);

    const child = start(commandLine("write-on-demand", join(image.at, env), join(image.at, audit)));
    for (let version = 1; version <= 12; version++) {
      child.send(String(version));
      expect(await child.line()).toBe(`done ${version}`);
      const left = await afterPowerCut(folder, image, async (at) => ({
        version: versionOf(readFileSync(join(at, env))),
        records: readFileSync(join(at, audit), "utf8").split("\n").filter(Boolean).length,
      }));
      expect(left).toEqual({ version, records: version });
    }
    child.kill();
    await child.ended;
  });

  test("leaves a disk on which the next process can write", async () => {
    const folder = temporaryFolder();
    const image = ext4Image(folder);
    const path = join(image.at, ".env.dev");
    writeFileSync(path, contentOf(0));
    execFileSync("sync", ["-f", image.at]);
    const child = start(commandLine("write-on-demand", path, join(image.at, "audit.jsonl")));
    child.send("1");
    expect(await child.line()).toBe("done 1");
    child.kill();
    await child.ended;

    await afterPowerCut(folder, image, async (at) => {
      const copy = join(at, ".env.dev");
      const files = nodeFiles({ allowedFolders: [at], lockTimeoutMs: 0 });
      await files.replace(copy, () => contentOf(2));
      expect(versionOf(readFileSync(copy))).toBe(2);
      expect(readdirSync(at).toSorted()).toEqual([".env.dev", "audit.jsonl", "lost+found"]);
    });
  });

  test("after the first record of a new log keeps the record, the log and its folder", async () => {
    const folder = temporaryFolder();
    const image = ext4Image(folder);
    const place = "a/b/.svcm/audit.jsonl";
    await auditLog({ file: join(image.at, place) }).append(recordOf("first"));
    const records = await afterPowerCut(folder, image, (at) => newestRecord(auditLog({ file: join(at, place) }), 10));
    expect(records).toEqual([recordOf("first")]);
  });
});
