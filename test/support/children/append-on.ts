/** Appends this number of records, one after the other, and prints the id of each record that is on the disk. */
import { writeSync } from "node:fs";
import { auditLog } from "../../../src/core/access/audit-log.node.ts";
import { recordOf } from "../records.ts";

const [file = "", name = "", count = "Infinity", maxBytes, kept] = process.argv.slice(2);
const audit = auditLog({ file, rotation: { maxBytes: Number(maxBytes), maxOldFiles: Number(kept) } });
for (let number = 0; number < Number(count); number += 1) {
  const id = `${name}-${number}`;
  await audit.append(recordOf(id));
  writeSync(1, `${id}\n`);
}
