/** Appends records to an audit log as fast as possible, `<name>-0`, `<name>-1` and so on, and prints refusals. */
import { FileError } from "../../../src/core/files/ports.ts";
import { auditLog } from "../../../src/core/access/audit-log.node.ts";

import { recordOf } from "../records.ts";

const [file = "", name = "", count = "0"] = process.argv.slice(2);
const audit = auditLog({ file });
const ids = Array.from({ length: Number(count) }, (_, number) => `${name}-${number}`);

await Promise.all(
  ids.map(async (id) => {
    try {
      await audit.append(recordOf(id));
    } catch (error) {
      if (!(error instanceof FileError)) throw error;
      console.log(JSON.stringify({ code: error.code, path: error.path }));
    }
  }),
);
