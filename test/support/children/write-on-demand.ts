/** For each line of input, writes that version of a file and records it, then prints `done`. */
import { dirname } from "node:path";
import { createInterface } from "node:readline";
import { auditLog } from "../../../src/core/access/audit-log.node.ts";
import { nodeFiles } from "../../../src/core/files/index.ts";
import { recordOf } from "../records.ts";
import { contentOf } from "../versions.ts";

const [path = "", auditFile = ""] = process.argv.slice(2);
const files = nodeFiles({ allowedFolders: [dirname(path)] });
const audit = auditLog({ file: auditFile });

for await (const line of createInterface({ input: process.stdin })) {
  const version = Number(line);
  await files.replace(
    path,
    () => contentOf(version),
    () => audit.append(recordOf(String(version))),
  );
  console.log(`done ${version}`);
}
