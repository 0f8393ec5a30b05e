/** Replaces a file by each of the given contents, and prints one line with the result of each. */
import { FileError } from "../../../src/core/files/ports.ts";
import { dirname } from "node:path";
import { nodeFiles } from "../../../src/core/files/index.ts";

const [path = "", ...contents] = process.argv.slice(2);
const files = nodeFiles({ allowedFolders: [dirname(path)], lockTimeoutMs: 1000 });

for (const content of contents) {
  try {
    await files.replace(path, () => Buffer.from(content));
    console.log(JSON.stringify({ ok: true }));
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    console.log(JSON.stringify({ code: error.code, path: error.path, message: error.message }));
  }
}
